"""The cases of files as released, on small files that follow the published descriptions."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from support import released_files
from support.data_packs import jsonl

from trustuqa_neo4j.errors import MissingFile, TrustUQAError, UsageError
from trustuqa_neo4j.evaluation import releases
from trustuqa_neo4j.evaluation.benchmark import Case, ScoredAnswer
from trustuqa_neo4j.evaluation.registry import BENCHMARKS, choose_layout


def read(name: str, folder: Path) -> tuple[Case, ...]:
    benchmark = choose_layout(BENCHMARKS[name], released_files.WRITERS[name](folder))
    assert not benchmark.pack
    return benchmark.ask(folder).prepared.cases


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("wikisql", [("14",), ("norway",), ("2",), ("germany", "canada")]),
        ("wtq", [("14",), ("Germany", "A|B")]),
        ("metaqa", [("Ridley Scott",), ("Blade Runner", "Gladiator")]),
        ("webqsp", [("English Language",), ("Rita Marley",)]),
        ("cronquestions", [("Red Star",), ("1995",)]),
        ("multitq", [("Envoy (United Nations)",), ("2005-02",)]),
    ],
)
def test_labels(name: str, labels: list[tuple[str, ...]], tmp_path: Path) -> None:
    assert [case.labels for case in read(name, tmp_path)] == labels


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("wtq", [("pristine-unseen-tables",), ("pristine-unseen-tables",)]),
        ("metaqa", [("1 hop",), ("2 hops",)]),
        ("webqsp", [("semantic-clear",), ("semantic-unclear",)]),
        ("cronquestions", [("simple_entity", "Simple", "Entity"), ("first_last", "Complex", "Time")]),
        ("multitq", [("equal", "Single", "Entity", "Day"), ("equal", "Single", "Time", "Month")]),
    ],
)  # fmt: skip
def test_rows_of_the_published_tables(
    name: str, groups: list[tuple[str, ...]], tmp_path: Path
) -> None:
    assert [(case.group, *case.tags) for case in read(name, tmp_path)] == groups


@pytest.mark.parametrize(
    ("name", "entities"),
    [("metaqa", ("Alien",)), ("webqsp", ("Bob Marley",)), ("cronquestions", ("Ann Lee",))],
)
def test_topics(name: str, entities: tuple[str, ...], tmp_path: Path) -> None:
    assert read(name, tmp_path)[0].entities == entities


def test_questions_of_the_pickle_have_names(tmp_path: Path) -> None:
    assert read("cronquestions", tmp_path)[0].question == "Which team did Ann Lee play for in 1991?"


def test_questions_of_tables_name_their_table(tmp_path: Path) -> None:
    assert {case.source for case in read("wikisql", tmp_path)} == {"1-10-1"}


def test_the_database_of_wikisql_decides(tmp_path: Path) -> None:
    released_files.wikisql(tmp_path)
    with sqlite3.connect(tmp_path / "data" / "test.db") as database:
        database.execute("CREATE TABLE table_1_10_1 (col0 TEXT, col1 REAL, col2 TEXT)")
        database.execute("INSERT INTO table_1_10_1 VALUES ('norway', 15, 'weber')")
    database.close()
    cases = BENCHMARKS["wikisql"].release.ask(tmp_path).prepared  # type: ignore[union-attr]
    assert [case.labels for case in cases.cases] == [("15",), ("norway",), ("1",), ("norway",)]
    assert cases.left_out == {"its SQL has no answer": 1}


def test_hits_at_1_comes_first_where_it_is_published(tmp_path: Path) -> None:
    (tmp_path / "webqsp").mkdir()
    folder = released_files.webqsp(tmp_path / "webqsp")
    prepared = BENCHMARKS["webqsp"].release.ask(folder).prepared  # type: ignore[union-attr]
    scores = prepared.score(prepared.cases[0], ScoredAnswer("answered", ("English", "Patois")))
    assert next(iter(scores)) == "hits@1"
    assert scores["hits@1"] == 1  # by another name of the node
    assert scores["exact"] == 0


def test_names_of_events_have_blanks_or_underscores() -> None:
    case = Case("a", "?", "", ("Envoy (United Nations)",), "equal")
    score = releases.RELEASES["multitq"].score(Path())
    assert score(case, ScoredAnswer("answered", ("Envoy_(United_Nations)",)))["hits@1"] == 1
    assert score(case, ScoredAnswer("answered", ("Envoy",)))["hits@1"] == 0


def test_untaught_questions_have_no_brackets(tmp_path: Path) -> None:
    released_files.metaqa(tmp_path)
    release = BENCHMARKS["metaqa"].release
    assert release is not None
    assert release.untaught is not None
    assert release.untaught.ask(tmp_path).prepared.cases[0].question == "who directed Alien"


# Recorded queries for them.


def test_recorded_queries_are_found_by_id_or_question(tmp_path: Path) -> None:
    released_files.wtq(tmp_path)
    file = jsonl(
        tmp_path / "queries.jsonl",
        {"id": "nu-0", "query": "first"},
        {"question": "who has less than 13 gold?", "llm_output": "second"},
    )
    release = BENCHMARKS["wtq"].release
    assert release is not None
    assert [case.query for case in release.prepare(tmp_path, file).cases] == ["first", "second"]
    jsonl(file, {"id": "nu-0", "query": "first"}, {"id": "nu-1", "query": None})
    found = release.prepare(tmp_path, file)
    assert (len(found.cases), found.left_out) == (1, {"no query for it": 1})
    with pytest.raises(UsageError, match="--replay FILE"):
        release.prepare(tmp_path, None)


# Own questions.


def test_own_questions(tmp_path: Path) -> None:
    file = jsonl(
        tmp_path / "own.jsonl",
        {"question": "a?", "answers": ["1,234"], "query": "q", "group": "numbers"},
        {"id": "b", "question": "b?", "answers": [3], "source": "s", "entities": ["E"]},
    )
    own = BENCHMARKS["own"]
    first, second = own.ask(file).prepared.cases
    assert (first.id, first.query, first.group) == ("own:1", "", "numbers")
    assert (second.id, second.labels, second.source, second.entities) == ("b", ("3",), "s", ("E",))
    replayed = own.prepare(file, None)
    assert [case.query for case in replayed.cases] == ["q"]
    assert replayed.left_out == {"no query": 1}
    scores = replayed.score(first, ScoredAnswer("answered", (1234,)))
    assert (scores["denotation"], scores["exact"]) == (1, 0)


# Bad input.


def write(place: str, content: str | bytes) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        path = folder / place
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return change


class Harmful:
    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return Path, ("harmful",)


@pytest.mark.parametrize(
    ("name", "change", "what", "where"),
    [
        ("wtq", write("data/pristine-unseen-tables.tsv", "id\tquestion\ttable\tanswer\n"),
         "the columns are not id, utterance, context, targetValue", "tables.tsv:1"),
        ("wtq", write("data/pristine-unseen-tables.tsv",
                      "id\tutterance\tcontext\ttargetValue\nnu-0\twho?\n"),
         "not four columns", "tables.tsv:2"),
        ("wtq", write("data/pristine-unseen-tables.tsv", "id\tutterance\tcontext\ttargetValue\n\xe9"
                      .encode("latin-1")), "not UTF-8 text", "tables.tsv"),
        ("metaqa", write("1-hop/vanilla/qa_test.txt", "who directed [Alien]\n"),
         "no question and answers with a tab between them", "qa_test.txt:1"),
        ("webqsp", write("data/WebQSP.test.json", '{"Questions": [\n{"QuestionId": '),
         "not JSON", "WebQSP.test.json:2"),
        ("webqsp", write("data/WebQSP.test.json", '{"questions": []}'),
         "no list of questions", "WebQSP.test.json"),
        ("webqsp", lambda folder: (folder / "kb.tsv").unlink(), "no file kb.tsv", ""),
        ("multitq", write("questions/test.json", "[1]"), "no list of questions", "test.json"),
        ("multitq", write("questions/test.json", "[" * 100_000), "nested too deeply", "test.json"),
        ("wikisql", write("data/test.tables.jsonl", '{"id": "1-10-2"}\n'),
         "no table '1-10-1' in test.tables.jsonl", "test.jsonl:1"),
        ("wikisql", write("data/test.tables.jsonl", '{"id": "1-10-1", "types": ["text"]}\n'),
         "no list 'rows'", "test.tables.jsonl:1"),
        ("wikisql", write("data/test.jsonl", '{"table_id": "1-10-1", "question": "?", "sql": 1}\n'),
         "no object 'sql'", "test.jsonl:1"),
        ("wikisql", write("data/test.db", "no database"), "its SQL cannot be run", "test.jsonl:1"),
        ("cronquestions", write("data/wikidata_big/questions/test.pickle", pickle.dumps(Harmful())),
         "more than plain data: it calls pathlib", "test.pickle"),
        ("cronquestions", write("data/wikidata_big/questions/test.pickle", pickle.dumps([{}])[:-2]),
         "cut off", "test.pickle"),
        ("cronquestions", write("data/wikidata_big/questions/test.pickle",
                                pickle.dumps([{"question": "?"}])), "no set 'answers'", "test:1"),
    ],
)  # fmt: skip
def test_files_that_are_not_the_release(
    name: str, change: Callable[[Path], object], what: str, where: str, tmp_path: Path
) -> None:
    released_files.WRITERS[name](tmp_path)
    change(tmp_path)
    with pytest.raises(TrustUQAError) as error:
        BENCHMARKS[name].release.ask(tmp_path)  # type: ignore[union-attr]
    assert what in error.value.what
    assert where.removesuffix(":1") in error.value.where
    assert error.value.hint


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no files of wtq"):
        choose_layout(BENCHMARKS["wtq"], tmp_path)
    with pytest.raises(MissingFile, match="no such file or folder"):
        choose_layout(BENCHMARKS["wtq"], tmp_path / "nothing")


def test_own_questions_with_one_id(tmp_path: Path) -> None:
    record = {"id": "a", "question": "a?", "answers": ["1"]}
    with pytest.raises(TrustUQAError, match="a second question with the id 'a'"):
        BENCHMARKS["own"].ask(jsonl(tmp_path / "own.jsonl", record, record))
