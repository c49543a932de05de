"""Demonstrations in the database: stored, verified, gathered into patterns, found again, deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.demonstrations import SOURCE, Meanings, directed, patterns, starring, states, templates
from support.samples import FILMS

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.curation.api import Teaching
from trustuqa_neo4j.curation.verify import Verified, Verifier
from trustuqa_neo4j.demonstrations import retrieval
from trustuqa_neo4j.demonstrations.retrieval import (
    DatasetCalibration,
    find_near_patterns,
    read_calibrations,
    sample_demonstrations,
)
from trustuqa_neo4j.demonstrations.selection import DEFAULT_THRESHOLD
from trustuqa_neo4j.errors import (
    DataError,
    IncompleteDataset,
    StatementFailed,
    TimedOut,
    UnknownDataset,
    UsageError,
)
from trustuqa_neo4j.graph import catalog, demonstrations
from trustuqa_neo4j.graph import vectors as vectors_of_patterns
from trustuqa_neo4j.graph.connection import Encoding
from trustuqa_neo4j.graph.demonstrations import DemonstrationCounts, Verdict
from trustuqa_neo4j.loading.request import Progress
from trustuqa_neo4j.model.dataset import Scope
from trustuqa_neo4j.model.demonstration import KEPT_STATES, Demonstration, QuestionPattern
from trustuqa_neo4j.reads.reader import Reader

GIVEN = [
    directed("Alien", "Ridley Scott"), directed("Blade Runner", "ridley scott"), directed("Aliens"),
    starring("Alien", "Tom Skerritt", "Sigourney Weaver"),
    directed("Amélie", "Claire Denis"),  # not so
    Demonstration("what is best in life", "get_information(relation='best in', tail_entity='life')"),
    Demonstration("oh dear", "get_information("),
]  # fmt: skip
DIRECTED, STARRING = "who directed {0}", "which actors are in {0}"


@pytest.fixture
def teaching(films: TrustUQA) -> Teaching:
    return films.demonstrations


@pytest.fixture
def taught(films: TrustUQA) -> TrustUQA:
    films.demonstrations.store("films", GIVEN)
    assert films.demonstrations.verify("films") == Verified(3, 3, 0, runs=1)
    return films


def near(
    tuqa: TrustUQA,
    question: str,
    limit: int = 5,
    encoding: Encoding | None = None,
    datasets: Sequence[str] = ("films",),
    **given: object,
) -> list[QuestionPattern]:
    def patterns(reader: Reader) -> list[QuestionPattern]:
        askable = read_calibrations(reader, Scope(tuple(datasets)))
        return find_near_patterns(reader, question, askable, limit, encoding is not None, **given)  # type: ignore[arg-type]

    return tuqa.connection.read(patterns, encoding=encoding)


# Storing


def test_what_becomes_of_each(teaching: Teaching) -> None:
    assert teaching.store("films", GIVEN) == DemonstrationCounts(new=7)
    assert teaching.store("films", GIVEN) == DemonstrationCounts(same=7)
    other = [directed("Alien"), starring("Aliens")]
    assert teaching.store("films", other) == DemonstrationCounts(new=1, changed=1)
    assert teaching.store(
        "films", [directed("Alien", "A", "B"), directed("Alien")]
    ) == DemonstrationCounts(same=1)
    assert set(states(teaching_client(teaching)).values()) == {"candidate"}


def teaching_client(teaching: Teaching) -> TrustUQA:
    client = TrustUQA(teaching.connection.driver)
    client.connection = teaching.connection
    return client


def test_what_is_read_is_what_was_stored(teaching: Teaching) -> None:
    given = Demonstration(
        "who {0} \\ \"it\"; 'DROP'\n\t…", "q = '=' \x00", ("1,000", "", "ü"), "a source",
        {"type": "a=b", "n": "1"},
    )  # fmt: skip
    bare = Demonstration("q", "x", ())
    teaching.store("films", [given, bare])
    assert sorted(teaching.listed("films"), key=lambda d: d.question) == [bare, given]


def test_a_verified_one_gives_way_only_if_that_is_wished(taught: TrustUQA) -> None:
    other = directed("Alien", "Ridley Scott", fields={"type": "x"})
    assert taught.demonstrations.store("films", [other]) == DemonstrationCounts(kept=1)
    assert patterns(taught)[DIRECTED][0] == 3
    assert taught.demonstrations.store("films", [other], overwrite=True) == DemonstrationCounts(
        changed=1
    )
    assert patterns(taught)[DIRECTED][0] == 2
    assert states(taught)["who directed Alien"] == "candidate"
    assert taught.demonstrations.verify("films") == Verified(1, 0, 0)
    assert patterns(taught)[DIRECTED][0] == 3


def test_a_failed_one_gives_way(taught: TrustUQA) -> None:
    right = directed("Amélie", "Jean-Pierre Jeunet")
    assert taught.demonstrations.store("films", [right]) == DemonstrationCounts(changed=1)
    assert taught.demonstrations.verify("films") == Verified(1, 0, 0)


def test_one_question_of_two_sources_is_two(teaching: Teaching) -> None:
    both = [directed("Alien"), directed("Alien", source=SOURCE)]
    assert teaching.store("films", both) == DemonstrationCounts(new=2)


@pytest.mark.parametrize("call", ["store", "add", "verify", "listed", "counts", "drop"])
def test_a_dataset_that_is_not_there(films: TrustUQA, call: str) -> None:
    given = {"store": ([directed("A")],), "add": (directed("A"),)}.get(call, ())
    with pytest.raises(UnknownDataset, match="did you mean 'films'"):
        getattr(films.demonstrations, call)("fims", *given)
    narrow = TrustUQA(films.connection.driver, datasets=["others"])
    with pytest.raises(UnknownDataset, match="in this client's scope"):
        getattr(narrow.demonstrations, call)("films", *given)


def test_a_dataset_that_is_not_complete(films: TrustUQA) -> None:
    films.connection.write(lambda tx: tx.run("mark_dataset_dropping", dataset="films").rows)
    for call in (
        lambda: films.demonstrations.store("films", [directed("Alien")]),
        lambda: films.demonstrations.verify("films"),
        lambda: demonstrations.write_demonstrations(films.connection, "films", [directed("Alien")]),
        lambda: demonstrations.write_verdicts(films.connection, "films", []),
    ):
        with pytest.raises(IncompleteDataset):
            call()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Demonstration(" ", "q"), "an empty question"),
        (Demonstration("q", "\n"), "an empty query"),
        (
            Demonstration("q" * 20_001, "q"),
            "a question of 20,001 characters, and 20,000 are allowed",
        ),
        (Demonstration("q", "q", fields={"a=b": "c"}), "a field that cannot be called 'a=b'"),
        (Demonstration("q", "q", fields={"state": "c"}), "a field that cannot be called 'state'"),
    ],
)
def test_what_cannot_be_stored(teaching: Teaching, given: Demonstration, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        teaching.store("films", [directed("Alien"), given])
    assert teaching.listed("films") == []


def test_adding_one(taught: TrustUQA) -> None:
    teaching = taught.demonstrations
    assert teaching.add("films", directed("Spider-Man", "Sam Raimi")).state == "verified"
    failed = teaching.add("films", starring("Aliens", "Tom Skerritt"))
    assert failed.state == "failed"
    assert failed.why == "it gives 'Sigourney Weaver', and the answer is 'Tom Skerritt'"
    assert teaching.add("films", starring("Amélie"), verify=False).state == "candidate"
    assert (
        teaching.add("films", directed("Spider-Man", "Sam Raimi"), verify=False).state == "verified"
    )
    with pytest.raises(DataError, match="has another query or other answers already"):
        teaching.add("films", directed("Spider-Man"))
    assert teaching.add("films", directed("Spider-Man"), overwrite=True).state == "runs"
    assert patterns(taught)[DIRECTED][0] == 4


# Verifying


def test_each_is_judged_by_what_its_query_gives(taught: TrustUQA) -> None:
    found = {each.question: each for each in taught.demonstrations.listed("films")}
    why = {question: each.why for question, each in found.items() if each.state == "failed"}
    assert (
        why["who directed Amélie"]
        == "it gives 'Jean-Pierre Jeunet', and the answer is 'Claire Denis'"
    )
    assert why["what is best in life"].startswith(
        "not askable: unknown relation: films has no relation"
    )
    assert why["oh dear"].startswith("failed: ")
    assert len(why) == 3
    assert all(not each.why for each in found.values() if each.state != "failed")
    counts = taught.demonstrations.counts("films")
    assert (counts.candidate, counts.verified, counts.runs, counts.failed, counts.patterns) == (
        0,
        3,
        1,
        3,
        2,
    )
    assert taught.demonstrations.verify("films") == Verified(0, 0, 0)


def test_all_are_run_again_if_that_is_wished(taught: TrustUQA) -> None:
    before = patterns(taught)
    assert taught.demonstrations.verify("films", again=True, workers=3) == Verified(3, 3, 0, runs=1)
    assert patterns(taught) == before == {
        DIRECTED: (3, before[DIRECTED][1]), STARRING: (1, "which actors are in Alien"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "right"),
    [
        (("Sigourney Weaver", "Tom Skerritt"), True), (("tom skerritt", "Sigourney Weaver"), True),
        (("Tom Skerritt",), False), ((), False), (("Tom Skerritt", "Sigourney Weaver", "x"), False),
    ],
)  # fmt: skip
def test_answers_are_sets(teaching: Teaching, labels: tuple[str, ...], right: bool) -> None:
    given = Demonstration("q", starring("Alien").query, labels)
    assert (teaching.add("films", given).state == "verified") is right


def test_numbers_are_compared_as_such(teaching: Teaching) -> None:
    count = f"Query1: {starring('Alien').query}\nQuery2: count(set=output_of_query1)"
    assert teaching.add("films", Demonstration("how many", count, ("2.0",))).state == "verified"
    assert teaching.add("films", Demonstration("how many are", count, ("3",))).state == "failed"


@pytest.mark.parametrize(
    ("error", "kind"), [(TimedOut, "timed out"), (StatementFailed, "statement failed")]
)
def test_what_befalls_one_query_is_its_verdict(
    teaching: Teaching, monkeypatch: pytest.MonkeyPatch, error: type[Exception], kind: str
) -> None:
    def read(*_: object) -> None:
        raise error("so it is")

    verifier = Verifier(teaching.connection, "films")
    with monkeypatch.context() as patch:
        patch.setattr(teaching.connection, "read", read)
        verdict = verifier.judge(directed("Alien"))
    assert (verdict.state, verdict.why) == ("failed", f"{kind}: so it is")
    gone = verifier.judge(directed("Alien", source="nowhere"))
    assert gone.why.startswith("unknown source: no source 'nowhere'")


def test_an_interrupted_run_keeps_what_was_judged(
    teaching: Teaching, monkeypatch: pytest.MonkeyPatch
) -> None:
    import signal

    monkeypatch.setattr(demonstrations, "DEMONSTRATIONS_PER_BATCH", 3)
    teaching.store("films", GIVEN)
    told: list[int] = []

    def advance(done: int) -> None:
        told.append(done)
        if done == 4:
            signal.raise_signal(signal.SIGINT)

    progress = Progress(advance=advance)
    with pytest.raises(KeyboardInterrupt) as caught:
        teaching.verify("films", progress=progress)
    assert str(caught.value) == (
        "interrupted: 4 of 7 were run and are kept, `tuqa demonstrations verify` goes on"
    )
    counts = teaching.counts("films")
    assert (counts.candidate, counts.of(("verified", "runs", "failed"))) == (3, 4)
    done = teaching.verify("films")
    assert done.verified + done.runs + done.failed == 3
    client = teaching_client(teaching)
    assert {name: n for name, (n, _) in patterns(client).items()} == {DIRECTED: 3, STARRING: 1}


def test_several_may_verify_at_once(teaching: Teaching) -> None:
    teaching.store("films", GIVEN)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: teaching.verify("films", again=True), range(3)))
    assert {n: c for n, (c, _) in patterns(teaching_client(teaching)).items()} == {
        DIRECTED: 3, STARRING: 1,
    }  # fmt: skip


def test_a_verdict_on_what_has_changed_since_is_passed_over(taught: TrustUQA) -> None:
    late = Verdict(Demonstration("who directed Aliens", "another"), "failed", "late")
    gone = Verdict(directed("Nothing"), "verified", "", DIRECTED, "q")
    demonstrations.write_verdicts(taught.connection, "films", [late, gone])
    assert states(taught)["who directed Aliens"] == "runs"
    assert patterns(taught)[DIRECTED][0] == 3


# Deleting


def test_dropping_by_state_question_and_source(taught: TrustUQA) -> None:
    teaching = taught.demonstrations
    teaching.add("films", directed("Spider-Man", source=SOURCE))
    assert teaching.drop("films", ("failed",)) == 3
    assert teaching.drop("films", question="who directed Alien") == 1
    assert teaching.drop("films", question="who directed Alien") == 0
    assert patterns(taught)[DIRECTED][0] == 3
    assert teaching.drop("films", source=SOURCE) == 1
    assert patterns(taught)[DIRECTED][0] == 2
    assert teaching.drop("films") == 3
    assert patterns(taught) == {}
    assert teaching.listed("films") == []


def test_questions_that_are_kept_go_with_their_source(taught: TrustUQA) -> None:
    teaching = taught.demonstrations
    teaching.save("films", directed("Alien", source=SOURCE))
    teaching.store_wrong("films", directed("Jaws", source=SOURCE))
    teaching.save("films", directed("Aliens"))
    taught.drop("films", SOURCE)
    assert [kept.source for kept in teaching.listed("films", KEPT_STATES)] == [None]


def test_many_are_dropped_in_batches(taught: TrustUQA, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "DEMONSTRATIONS_PER_BATCH", 2)
    assert taught.demonstrations.drop("films") == 7
    assert patterns(taught) == {}


def left(tuqa: TrustUQA) -> int:
    with tuqa.connection.driver.session() as session:
        found = session.run(
            "MATCH (n:Demonstration|Pattern {dataset: 'films'}) RETURN count(n) AS n"
        ).single()
    assert found is not None
    return int(found["n"])


def test_none_outlives_its_dataset(taught: TrustUQA) -> None:
    assert left(taught) == 9
    taught.drop("films")
    assert left(taught) == 0


def test_those_of_a_source_go_with_it(taught: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "more.tsv"
    path.write_text("Heat\tdirected by\tMichael Mann\n")
    taught.load("kg", path, dataset="films", source="more", mode="append")
    added = taught.demonstrations.add("films", directed("Heat", "Michael Mann", source="more"))
    assert added.state == "verified"
    assert patterns(taught)[DIRECTED][0] == 4
    taught.drop("films", "more")
    assert patterns(taught)[DIRECTED][0] == 3
    assert len(taught.demonstrations.listed("films")) == 7


# Finding again, by words


def test_patterns_are_found_by_words(taught: TrustUQA) -> None:
    found = near(taught, "Who has directed 'Amélie'?")
    assert templates(found) == [DIRECTED]
    (pattern,) = found
    assert (pattern.dataset, pattern.count, pattern.similarity) == ("films", 3, None)
    assert pattern.question.startswith("who directed ")
    assert "relation='directed by'" in pattern.query
    assert templates(near(taught, "the actors who are in it")) == [STARRING, DIRECTED]
    assert templates(near(taught, "acters in Heat")) == [STARRING]
    assert near(taught, "nonsense altogether") == []
    assert near(taught, "who directed it", limit=0) == []
    assert near(taught, "who directed it", datasets=("nothing",)) == []
    assert near(taught, "who directed it", datasets=()) == []


SPECIAL = r'+ - && || ! ( ) { } [ ] ^ " ~ * ? : \ /'


HOSTILE = [
    SPECIAL, "AND", "OR", "NOT", "TO", "[a TO b]", "words:x", "dataset:others", '"', "\\", '\\"', "*",
    "?", "~", "a~", "x^2", "(((", "", " ", "\n", "\x00", "\ud800", "😀", "x" * 30_000, "ab " * 20_000,
    "word" + " other".join(map(str, range(3_000))), "! || &&", "_", "+who", "'", "/.*/", "{0} {1}",
]  # fmt: skip


def test_no_question_breaks_a_look(taught: TrustUQA) -> None:
    for question in HOSTILE:
        assert set(templates(near(taught, question))) <= {DIRECTED, STARRING}, question


def test_a_dataset_may_be_called_anything(tuqa: TrustUQA) -> None:
    from support.samples import FILMS

    name = 'x" OR "films) \\'
    for dataset in (name, "films"):
        tuqa.load("kg", FILMS, dataset=dataset)
        tuqa.demonstrations.add(dataset, directed("Alien"))
    found = near(tuqa, "who directed it", datasets=(name,))
    assert [pattern.dataset for pattern in found] == [name]
    both = near(tuqa, "who directed it", datasets=(name, "films"))
    assert {pattern.dataset for pattern in both} == {name, "films"}


def test_scripts_without_spaces(teaching: Teaching) -> None:
    query = directed("Alien").query
    teaching.add("films", Demonstration("誰が Alien を監督しましたか", query))
    (found,) = near(teaching_client(teaching), "誰が監督しましたか")
    assert found.count == 1


def test_only_those_of_a_source_or_with_fields(taught: TrustUQA) -> None:
    teaching = taught.demonstrations
    told = directed("Spider-Man", source=SOURCE, fields={"type": "a", "hop": "1"})
    teaching.add("films", told)
    for given in (
        {"source": SOURCE},
        {"fields": {"type": "a"}},
        {"fields": {"hop": "1", "type": "a"}},
    ):
        (found,) = near(taught, "who directed it", **given)
        assert (found.question, found.source, found.count) == (told.question, SOURCE, 4)
        assert near(taught, "the actors in it", **given) == []
    assert near(taught, "who directed it", fields={"type": "b"}) == []
    assert near(taught, "who directed it", source="elsewhere") == []


def test_some_demonstrations(taught: TrustUQA) -> None:
    def read(limit: int) -> list[Demonstration]:
        return taught.connection.read(lambda reader: sample_demonstrations(reader, "films", limit))

    some = read(2)
    assert {each.state for each in some} <= {"verified", "runs"}
    assert some == read(3)[:2]


# Finding again, by meaning


@pytest.fixture(scope="module")
def vector_indexes(client: TrustUQA) -> Iterator[None]:
    """They stay between the tests: after a change of an index the server plans all statements anew."""
    yield
    drop_vector_indexes(client)


def drop_vector_indexes(tuqa: TrustUQA) -> None:
    tuqa.connection.write(lambda tx: tx.run("drop_name_vector_index").rows)
    tuqa.connection.write(lambda tx: tx.run("drop_pattern_vector_index").rows)


@pytest.fixture
def embedded(tuqa: TrustUQA, vector_indexes: None) -> Iterator[tuple[TrustUQA, Meanings]]:
    """A client with a model of its own, on a database that holds vectors of that model."""
    model = Meanings()
    with TrustUQA(tuqa.connection.driver, embedder=model) as own:
        own.connection = tuqa.connection
        own.load("kg", FILMS, dataset="films")
        yield own, model
        own.drop("films")
        own.connection.write(lambda tx: tx.run("clear_embedding_model", number=0).rows)


def meaning(found: tuple[TrustUQA, Meanings], question: str, limit: int = 5) -> list[str]:
    tuqa, _ = found
    return templates(near(tuqa, question, limit, tuqa._embedding))


def test_meaning_brings_what_words_do_not(embedded: tuple[TrustUQA, Meanings]) -> None:
    tuqa, _ = embedded
    tuqa.demonstrations.store("films", GIVEN[:5])
    assert tuqa.demonstrations.verify("films") == Verified(3, 1, 2, runs=1)
    assert meaning(embedded, "made", 1) == [DIRECTED]
    assert meaning(embedded, "played", 1) == [STARRING]
    found = near(tuqa, "played", 5, tuqa._embedding)
    assert found[0].similarity is not None
    assert found[1].similarity is not None
    assert 1 >= found[0].similarity > 0.9 > found[1].similarity
    assert tuqa.demonstrations.verify("films") == Verified(0, 0, 0)
    assert near(tuqa, "played") == []


def test_patterns_of_a_database_without_vectors_get_theirs_later(
    embedded: tuple[TrustUQA, Meanings],
) -> None:
    tuqa, _ = embedded
    bare = Teaching(tuqa.connection, None, tuqa.check_scope)
    bare.add("films", directed("Alien"))
    assert meaning(embedded, "made", 1) == []
    assert tuqa.demonstrations.verify("films") == Verified(0, 0, 1)
    assert meaning(embedded, "made", 1) == [DIRECTED]


def test_another_model_gives_no_vectors(embedded: tuple[TrustUQA, Meanings]) -> None:
    tuqa, _ = embedded
    with TrustUQA(tuqa.connection.driver, embedder=Meanings("others")) as other:
        other.connection = tuqa.connection
        added = other.demonstrations.add("films", directed("Alien"))
        assert added.state == "runs"
        assert templates(near(other, "directed", 5, other._embedding)) == [DIRECTED]
        assert near(other, "made", 5, other._embedding) == []


def test_an_index_that_knows_only_vectors_does_too(
    embedded: tuple[TrustUQA, Meanings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As servers before 2026.02 have it; it stays such a one when the server is a newer one later."""
    tuqa, _ = embedded
    tuqa.connection.write(lambda tx: tx.run("drop_pattern_vector_index").rows)
    with monkeypatch.context() as patch:
        patch.setattr(tuqa.connection, "filters_vectors", False)
        tuqa.demonstrations.add("films", directed("Alien"))
        tuqa.demonstrations.add("films", starring("Alien"))
    assert tuqa.connection.read_one("list_embedding_models")[0]["pattern_index"] == "alone"
    assert meaning(embedded, "made", 1) == [DIRECTED]
    assert meaning(embedded, "played", 1) == [STARRING]
    drop_vector_indexes(tuqa)


def test_a_database_that_changes_its_model_embeds_anew(
    embedded: tuple[TrustUQA, Meanings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors of the model before are neither asked for nor compared, whatever their length."""
    tuqa, _ = embedded
    tuqa.load("kg", _file(tmp_path, "Heat\tdirected by\tMann\n"), dataset="more", embeddings=False)
    for given in (directed("Heat"), Demonstration("who made Heat then", directed("Heat").query)):
        tuqa.demonstrations.add("more", given)
    assert len(near(tuqa, "made", 1, tuqa._embedding, ["more"])) == 2
    tuqa.drop("films")
    with TrustUQA(tuqa.connection.driver, embedder=Meanings("longer", 6)) as other:
        other.connection = tuqa.connection
        other.load("kg", _file(tmp_path, "a\tr\tb\n"), dataset="films")
        encoding = other._embedding
        assert len(near(other, "made", 1, encoding, ["more"])) == 1  # by words alone
        monkeypatch.setattr(vectors_of_patterns, "PATTERN_PAGE", 1)
        assert other.demonstrations.verify("more") == Verified(0, 0, 2)
        assert len(near(other, "made", 1, encoding, ["more"])) == 2
        other.drop("more")
        drop_vector_indexes(other)  # they are of the other length


def _file(folder: Path, content: str) -> Path:
    path = folder / "facts.tsv"
    path.write_text(content)
    return path


# Calibration


def test_how_far_a_dataset_can_be_asked(films: TrustUQA) -> None:
    def read() -> dict[str, DatasetCalibration]:
        scope = Scope(("films", "nothing"))
        return films.connection.read(lambda reader: read_calibrations(reader, scope))

    assert read() == {"films": DatasetCalibration("films")}
    figures = {"threshold": 0.7, "share": 0.5, "precision": 0.9, "patterns": 12}
    demonstrations.write_calibration(films.connection, "films", figures)
    assert read() == {"films": DatasetCalibration("films", 0.7, 0.5, 0.9, 12)}
    with pytest.raises(UnknownDataset):
        demonstrations.write_calibration(films.connection, "fims", figures)
    # Of too few nothing can be learnt.
    assert films.demonstrations.measure("films").threshold == DEFAULT_THRESHOLD
    assert read() == {"films": DatasetCalibration("films", DEFAULT_THRESHOLD, 0.0, 0.0, 0)}


def test_ranks_by_meaning_and_by_words_are_put_together() -> None:
    row = ["d", "t", "q", "x", None, 1]
    found = retrieval._fuse_ranks(
        [[*row[:1], "a", *row[2:], 0.6, None], [*row[:1], "b", *row[2:], 0.9, 1.0],
         [*row[:1], "c", *row[2:], 0.7, 9.0], [*row[:1], "e", *row[2:], None, 2.0]]
    )  # fmt: skip
    assert templates(found) == ["c", "b", "e", "a"]
    assert found[0].similarity == pytest.approx(0.4)
