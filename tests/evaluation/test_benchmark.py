"""What becomes of a pack: its cases with their labels, and what is left out and why."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from support import data_packs

from trustuqa_neo4j.answer import Value
from trustuqa_neo4j.errors import MalformedLine, MissingFile, TrustUQAError, UnreadableFile
from trustuqa_neo4j.evaluation import metaqa, temporal, webqsp, wtq
from trustuqa_neo4j.evaluation.benchmark import (
    Benchmark,
    Case,
    CaseSet,
    QuestionSet,
    ScoredAnswer,
)
from trustuqa_neo4j.evaluation.registry import BENCHMARKS
from trustuqa_neo4j.evaluation.splits import choose_side
from trustuqa_neo4j.evaluation.temporal import score as score_temporal
from trustuqa_neo4j.evaluation.temporal import split_cases


def prepared(name: str, folder: Path) -> CaseSet:
    pack = data_packs.WRITERS[name](folder)
    return BENCHMARKS[name].prepare(pack, None)


def given(*values: Value) -> ScoredAnswer:
    return ScoredAnswer("answered", values)


def told(found: CaseSet) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(case.id, case.group, case.labels) for case in found.cases]


def test_metaqa(tmp_path: Path) -> None:
    found = prepared("metaqa", tmp_path)
    assert told(found) == [
        ("llm_queries.1hop:1", "1 hop", ("Ridley Scott",)),
        ("llm_queries.1hop:2", "1 hop", ("Sigourney Weaver",)),
        ("llm_queries.2hop:1", "2 hops", ("Blade Runner", "Gladiator")),
    ]
    assert found.left_out == {
        "no query recorded": 1,
        "its type leads nowhere from this topic": 1,
        "no labelled question has this wording": 1,
    }


@pytest.mark.parametrize(
    ("qtype", "path"),
    [
        ("movie_to_director", ("directed_by",)),
        ("tag_to_movie", ("^has_tags",)),
        ("actor_to_movie_to_year", ("^starred_actors", "release_year")),
        ("movie_to_writer_to_movie_to_genre", ("written_by", "^written_by", "has_genre")),
        ("movie_to_imdbrating", ("has_imdb_rating",)),
        ("movie_to_movie", ()),
        ("actor_to_director", ()),
        ("movie_to_producer", ()),
        ("movie", ()),
    ],
)
def test_a_question_type_is_a_path(qtype: str, path: tuple[str, ...]) -> None:
    assert metaqa.read_question_type(qtype) == path


@pytest.mark.parametrize(
    ("question", "wording", "topic"),
    [
        ("who shot [Alien]", "who shot []", "Alien"),
        ("[[REC]] is by whom", "[] is by whom", "[REC]"),
        ("who shot Alien", "who shot Alien", ""),
        ("] [", "] [", ""),
    ],
)
def test_a_topic_is_masked(question: str, wording: str, topic: str) -> None:
    assert metaqa.mask_topic(question) == (wording, topic)


def test_a_wording_of_several_types(tmp_path: Path) -> None:
    """The type that leads somewhere counts; where several do, there is no telling."""
    pack = data_packs.metaqa(tmp_path)
    data_packs.lines(
        pack / "kb.txt", "a / directed_by / b\nc / directed_by / d\nc / written_by / e", "|"
    )
    data_packs.jsonl(
        pack / "questions.1hop.dev.jsonl",
        {"question": "who made [x]", "qtype": "movie_to_director"},
        {"question": "who made [y]", "qtype": "movie_to_writer"},
    )
    file = data_packs.jsonl(
        tmp_path / "q.jsonl",
        {"question": "who made [a]", "llm_output": "-"},
        {"question": "who made [c]", "llm_output": "-"},
    )
    found = metaqa.prepare(pack, file)
    assert told(found) == [("q:1", "1 hop", ("b",))]
    assert found.left_out == {"several types with different labels": 1}


def test_wtq(tmp_path: Path) -> None:
    found = prepared("wtq", tmp_path)
    assert told(found) == [
        ("nt-1", "core", ("Norway",)),
        ("nt-2", "core", ("Germany",)),
        ("nt-3", "other", ("Canada",)),
    ]
    assert {case.source for case in found.cases} == {"csv/204-csv/1.csv"}
    assert found.left_out == {
        "asked of several tables": 1,
        "no query recorded": 1,
        "no table named": 1,
    }


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        (["get_information(relation='a', tail_entity>='5')"], ()),
        (["get_information(relation='a', tail_entity>='output_of_query1')"], ()),
        (["get_information(relation='a', tail_entity>= 'most')"], ()),
        (["get_information(relation='a', tail_entity<least)"], ()),
        (["set_anything(set1='a')", "previous_row(set='b')", "average(set='c')"], ()),
        (["keep(set='a', value>'5')"], ()),
        (["count(set=invent(1))"], ()),
        (["get_information(relation='a', tail_entity>='highest')"], ("(bound) highest",)),
        (["get_information(relation='a', tail_entity≥'second most')"], ("(bound) second most",)),
        (["compare(a, b)", "count(set='x')", "compare(c, d)", "if (a, b)"], ("compare", "if")),
        (["output_of_query1 > output_of_query2"], ("(an expression)",)),
        (["set.union(set1='a')"], ("(an expression)",)),
        (["Count(set='a')"], ("Count",)),
        (["count(set='a')", ""], ()),
    ],
)
def test_what_the_paper_does_not_have(steps: list[str], found: tuple[str, ...]) -> None:
    lines = [f'Query{number}: "{step}"' for number, step in enumerate(steps, 1)]
    assert wtq.list_invented("Some prose with x > y (z)\n" + "\n".join(lines)) == found


def test_webqsp(tmp_path: Path) -> None:
    found = prepared("webqsp", tmp_path)
    assert told(found) == [
        ("llm_queries:1", "exact", ("English Language",)),
        ("llm_queries:2", "overlap", ("Actor",)),
    ]
    assert found.left_out == {"reaches no label in this graph (miss)": 1}


def test_webqsp_knows_other_names(tmp_path: Path) -> None:
    found = prepared("webqsp", tmp_path)
    one = {"reaches": 1, "hits@1": 1, "exact": 1, "f1": 1}
    for value in ("English", "ENGLISH language", "m.02"):
        assert found.score(found.cases[0], given(value)) == one
    assert found.score(found.cases[0], given("French")) == dict.fromkeys(one, 0)
    assert found.score(found.cases[1], given("poet", "actor")) == {
        "reaches": 1,
        "hits@1": 0,
        "exact": 0,
        "f1": pytest.approx(2 / 3),
    }


def test_cases_are_split_into_questions_and_examples() -> None:
    cases = tuple(Case(f"{n}", f"who led {n}", "query", ("Ann",), "one") for n in range(40))
    split = split_cases(CaseSet(cases, score_temporal))
    questions = {case.question for case in split.prepared.cases}
    examples = {example.question for example in split.demonstrations}
    assert questions | examples == {case.question for case in cases}
    assert questions
    assert examples
    assert not questions & examples


def test_yago11k(tmp_path: Path) -> None:
    found = prepared("yago11k", tmp_path)
    assert [case.group for case in found.cases] == [
        "simple_time", "simple_entity", "first_last", "before_after", "time_join",
    ]  # fmt: skip
    assert found.left_out == {"no template has this wording": 1}
    assert found.cases[0].labels == ("1990", "1991", "1992")
    assert found.cases[3].query == (
        "Query1: get_information(head_entity=\"O'Neill\", relation='playsFor', "
        "tail_entity='Blue Star', key='time')\n"
        "Query2: min(set='output_of_query1')\n"
        "Query3: get_information(head_entity=\"O'Neill\", relation='playsFor', key='start time', "
        "value<'output_of_query2')"
    )


def test_cronquestions(tmp_path: Path) -> None:
    found = prepared("cronquestions", tmp_path)
    assert told(found) == [
        ("c-0", "simple_time", ("1990", "1991", "1992")),
        ("c-1", "simple_entity", ("Q2",)),
        ("c-2", "first_last", ("Q12",)),
        ("c-3", "first_last", ("1992",)),
    ]
    assert found.left_out == {
        "first_last: the graph does not give exactly the label": 1,
        "time_join: the graph lacks facts of others": 1,
    }
    assert found.cases[1].query == (
        "Query1: get_information(relation='P39', tail_entity='Q13', key='time', value='1990')"
    )


@pytest.mark.parametrize("benchmark", [temporal.CRONQUESTIONS, temporal.YAGO11K])
def test_a_query_beside_a_question_goes_before_a_template(
    benchmark: Benchmark, tmp_path: Path
) -> None:
    pack = data_packs.WRITERS[benchmark.name](tmp_path)
    (path,) = pack.rglob("questions*.jsonl")
    first = json.loads(path.read_text().splitlines()[0])
    file = data_packs.jsonl(tmp_path / "q.jsonl", {**first, "llm_output": "count(set='a')"})
    (case,) = benchmark.prepare(pack, file).cases
    assert case.query == "count(set='a')"


def test_packed_files_are_read(tmp_path: Path) -> None:
    pack = data_packs.metaqa(tmp_path)
    plain = BENCHMARKS["metaqa"].prepare(pack, None)
    for path in [*pack.iterdir()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    again = BENCHMARKS["metaqa"].prepare(pack, None)
    assert again.cases == plain.cases


@pytest.mark.parametrize(
    ("name", "content", "kind", "said"),
    [
        ("wtq", b"{\n", MalformedLine, "not JSON"),
        ("wtq", b"[]\n", MalformedLine, "no object"),
        ("wtq", b'{"question": "a\\ud800"}\n', MalformedLine, "not JSON"),
        ("wtq", b"[" * 100_000 + b"\n", MalformedLine, "not JSON"),
        ("wtq", b'{"question": 1}\n', MalformedLine, "no text 'question' in it"),
        ("wtq", b'{"question": "a", "examples": [1]}\n', MalformedLine, "no list 'examples'"),
        ("wtq", b"\xff\n", UnreadableFile, "not UTF-8 text"),
        ("webqsp", b'{"question": "a"}\n', MalformedLine, "no text 'kb_check' in it"),
        ("metaqa", b'{"llm_output": "a"}\n', MalformedLine, "no text 'question' in it"),
        ("yago11k", b'{"question": "a"}\n', MalformedLine, "no text 'type' in it"),
        (
            "cronquestions",
            b'{"question": "a", "type": "simple_time", "template": "b", "relation": "P1"}\n',
            MalformedLine,
            "the question does not fill its template",
        ),
        (
            "cronquestions",
            b'{"question": "a", "type": "simple_time", "template": "a", "relation": "P1"}\n',
            MalformedLine,
            "no query can be made of its template",
        ),
    ],
)
def test_files_that_are_not_what_they_should_be(
    name: str, content: bytes, kind: type[TrustUQAError], said: str, tmp_path: Path
) -> None:
    pack = data_packs.WRITERS[name](tmp_path)
    file = tmp_path / "q.jsonl"
    file.write_bytes(b"\n" + content)
    with pytest.raises(kind, match=said) as error:
        BENCHMARKS[name].prepare(pack, file)
    assert error.value.where == (str(file) if kind is UnreadableFile else f"{file}:2")


def test_broken_files_of_a_pack(tmp_path: Path) -> None:
    pack = data_packs.metaqa(tmp_path)
    (pack / "kb.txt").write_text("a|b|c\na|b\n")
    with pytest.raises(MalformedLine) as error:
        metaqa.prepare(pack, None)
    assert error.value.where == f"{pack / 'kb.txt'}:2"
    (pack / "questions.2hop.test.jsonl").write_text('{"question": "a [b]", "qtype": "x_to_y"}\n')
    with pytest.raises(MalformedLine, match="no question type 'x_to_y'"):
        metaqa.prepare(pack, None)
    pack = data_packs.webqsp(tmp_path)
    (pack / "names.tsv").write_text("m.01\n")
    with pytest.raises(MalformedLine, match="no id and name"):
        webqsp.prepare(pack, None)
    (pack / "names.tsv").unlink()
    (pack / "names.tsv.gz").write_bytes(gzip.compress(b"m.01\ta\n")[:-4])
    with pytest.raises(UnreadableFile):
        webqsp.prepare(pack, None)


@pytest.mark.parametrize("name", sorted(set(BENCHMARKS) - {"mixed"}))
def test_files_that_are_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(MissingFile) as error:
        BENCHMARKS[name].prepare(tmp_path, None)
    assert str(tmp_path) in error.value.where


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["Ridley Scott"], (1, 1, 1)),
        (["ridley scott"], (0, 0, 0)),
        (["Alien", "Ridley Scott"], (1, 0, 0)),
        ([], (0, 0, 0)),
    ],
)
def test_metaqa_is_scored_by_texts_as_they_are(
    values: list[str], expected: tuple[int, int, int]
) -> None:
    case = Case("1", "", "", ("Ridley Scott",), "1 hop")
    assert tuple(metaqa.score(case, given(*values)).values()) == expected


def test_years_are_scored_as_digits() -> None:
    case = Case("1", "", "", ("1990", "1991"), "simple_time")
    assert temporal.YAGO11K.metrics == ("exact", "contains")
    assert temporal.score(case, given(1990, 1991.0)) == {"exact": 1, "contains": 1}
    assert temporal.score(case, given("1990", "1991", "1992")) == {"exact": 0, "contains": 1}


def untaught(name: str, folder: Path) -> QuestionSet:
    variant = BENCHMARKS[name].untaught
    assert variant is not None
    return variant.ask(folder)


def test_metaqa_is_asked_untaught_without_brackets(tmp_path: Path) -> None:
    questions = untaught("metaqa", data_packs.asked(tmp_path))
    assert [case.question for case in questions.prepared.cases] == [
        "who directed Blade Runner",
        "who directed Alien",
        "how long is a piece of string",
    ]
    assert (questions.demonstrations, questions.recorded) == ((), None)


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("[[REC]] is by whom", "[REC] is by whom"),
        ("who shot Alien", "who shot Alien"),
        ("] [", "] ["),
        ("who shot [] then", "who shot [] then"),
    ],
)
def test_brackets_around_the_topic(question: str, plain: str) -> None:
    assert metaqa.remove_brackets(Case("", question, "", (), "")).question == plain


def test_wtq_is_asked_untaught_with_its_recorded_queries(tmp_path: Path) -> None:
    questions = untaught("wtq", data_packs.wtq_questions(tmp_path))
    assert [case.id for case in questions.prepared.cases] == ["nu-1", "nu-2", "nu-3"]
    assert questions.recorded is not None
    assert [case.id for case in questions.recorded.cases] == ["nt-1", "nt-2", "nt-3"]
    assert questions.demonstrations == ()


def test_webqsp_is_grouped_by_labels_in_the_graph(tmp_path: Path) -> None:
    questions = untaught("webqsp", data_packs.webqsp_questions(tmp_path))
    assert told(questions.prepared) == [
        ("t-1", "label in graph", ("English Language",)),
        ("t-2", "no label in graph", ("Nine Mile",)),
    ]


def held_out(count: int) -> list[str]:
    years = (f"Which team did Ann Lee play for in {year}?" for year in range(1000, 2000))
    return [question for question in years if choose_side(question) == "test"][:count]


def test_temporal_questions_that_were_fitted_on_are_left_out(tmp_path: Path) -> None:
    (first, second), fitted = held_out(2), "Which team did Ann Lee play for in 1007?"
    assert choose_side(fitted) != "test"
    pack = data_packs.cronquestions_names(tmp_path, [first, fitted, second])
    prepared = untaught("cronquestions", pack).prepared
    assert told(prepared) == [("n-1", "simple_entity", ("Red Star",))]
    assert prepared.left_out == {temporal.NOT_HELD_OUT: 1, "no label": 1}
    assert prepared.score(prepared.cases[0], given("Red Star")) == {
        "hits": 1, "hits@1": 1, "contains": 1, "exact": 1,
    }  # fmt: skip
    assert prepared.score(prepared.cases[0], given("Blue Star", "Red Star")) == {
        "hits": 1, "hits@1": 0, "contains": 1, "exact": 0,
    }  # fmt: skip


def test_yago11k_untaught(tmp_path: Path) -> None:
    prepared = untaught("yago11k", data_packs.yago11k(tmp_path)).prepared
    assert {choose_side(case.question) for case in prepared.cases} <= {"test"}
    assert {case.query for case in prepared.cases} <= {""}
    assert len(prepared.cases) + prepared.left_out[temporal.NOT_HELD_OUT] == 5


def test_answers_that_are_tables_are_not_asked_untaught() -> None:
    assert [name for name, benchmark in BENCHMARKS.items() if benchmark.untaught is None] == [
        "acme"
    ]
