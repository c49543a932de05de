"""Whatever text a query holds: an answer without an exception, by statements as they stand in their files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from math import inf
from pathlib import Path
from typing import Any, get_args

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.answer import Outcome
from trustuqa_neo4j.errors import TimedOut, UnknownDataset, UnknownSource, UsageError
from trustuqa_neo4j.execution.executor import Executor, tabular
from trustuqa_neo4j.execution.paths import _Ways
from trustuqa_neo4j.graph import statements

FOLDER = Path(__file__).parents[2] / "cypher"
FILES = {path.stem: path.read_bytes() for path in FOLDER.glob("*.cypher")}

NAMES = {
    "a quote": "'",
    "a double quote": '"',
    "quotes and brackets": "a'b\"c)]}",
    "a backslash": "a\\",
    "an escaped quote": "a\\'b",
    "Cypher": "x'}) DETACH DELETE n //",
    "Cypher in backticks": "`x`) MATCH (n) DETACH DELETE n RETURN (`y",
    "a comment": "/* x */ // y",
    "a parameter": "$nodes",
    "a template": "{{x}} {x} %s {0}",
    "a call": "get_information(relation='Town')",
    "a reference": "output_of_query99",
    "a nul": "a\0b",
    "control signs": "\x01\x1f\x7f",
    "a unit separator": "clubs.csv\x1f1",
    "right to left": "\u202egnimoc\u202c \u200f",
    "no width": "a\u200bb\ufeff",
    "combining marks": "e" + "\u0301" * 100,
    "an emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "the last character": "\U0010ffff",
    "a line break": "a\nb",
    "blanks": "   ",
    "nothing": "",
    "an operator": ">= 5 != <",
    "a long number": "9" * 400,
    "a long date": "0" * 200 + "-01-01",
    "brackets in brackets": "[" * 50 + "]" * 50,
    "a long name": "a" * 20_000,
    "a long name of words": "Dundee " * 3_000,
}
PLACES = {
    "head": "get_information(head_entity={0}, relation='Town')",
    "relation": "get_information(head_entity='Dundee', relation={0})",
    "tail": "get_information(relation='Town', tail_entity={0})",
    "tail in an order": "get_information(relation='Capacity', tail_entity>{0})",
    "key": "get_information(relation='Town', tail_entity='Perth', key={0})",
    "value": "get_information(relation='Town', key='Club', value={0})",
    "set": "set_union({0}, get_information(relation='Town'))",
    "bound": "keep(set=get_information(relation='Capacity'), value<{0})",
    "column": "max(set=get_information(relation='Town', tail_entity='Perth'), column={0})",
    "universe": "set_negation(set={0}, universe={0})",
    "row": "get_information(relation='row_number', tail_entity={0})",
    "operator": "search_condition('Town', 'Perth', op={0})",
}


def checked(answer: Answer) -> Answer:
    """An answer of a known form, all of whose statements stand in files, byte for byte."""
    assert answer.outcome in get_args(Outcome)
    answer.to_dict()
    sent = [sent.statement for stage in answer.trace for sent in stage.sent]
    assert set(sent) <= FILES.keys()
    for name in set(sent):
        assert statements.get_statement(name).text.encode() == FILES[name]
    return answer


def everything(client: TrustUQA) -> object:
    with client.connection.driver.session() as session:
        counts = "MATCH (n) RETURN count(n), sum(COUNT { (n)--() }), sum(size(keys(n)))"
        return session.run(counts).values()


def quoted(name: str, quote: str) -> str:
    return f"{quote}{name}{quote}"


def test_each_name_in_some_place(world: TrustUQA) -> None:
    for name, call in zip(NAMES.values(), cycle(PLACES.values())):
        checked(world.run(call.format(quoted(name, "'")), "tables", source="clubs.csv"))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_name_in_any_place(world: TrustUQA, name: str) -> None:
    before = everything(world)
    quotes = "'\"" if set(name) & set("'\"\\") else "'"  # the others are read alike in both
    for call in PLACES.values():
        for quote in quotes:
            checked(world.run(call.format(quoted(name, quote)), "tables", source="clubs.csv"))
    assert everything(world) == before


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_name_where_facts_have_times_and_qualifiers(world: TrustUQA, name: str) -> None:
    for dataset, call in (
        ("offices", "get_information(relation='holds office', key='time', value={0})"),
        ("offices", "get_information(head_entity={0}, key='start time')"),
        ("offices", "get_information(head_entity='Ada', relation='holds office', key={0})"),
        ("prizes", "get_information(relation='won', key='field', value={0})"),
        (
            "prizes",
            "get_information(head_entity={0}, relation='won', tail_entity={0}, key='field')",
        ),
        ("people", "get_information(head_entity={0}, tail_entity={0})"),
    ):
        checked(world.run(call.format(quoted(name, "'")), dataset))


@pytest.mark.parametrize("place", PLACES)
def test_a_name_as_long_as_a_query_may_be(world: TrustUQA, place: str) -> None:
    text = PLACES[place].format(quoted("Qwxyz " * (9_000 // 6), "'"))
    checked(world.run(text, "tables", source="clubs.csv", timeout=300))


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_dataset_and_source(world: TrustUQA, name: str) -> None:
    text = "get_information(relation='Town')"
    with pytest.raises(UnknownDataset):
        world.run(text, name or " ")
    with pytest.raises(UnknownDataset):
        world.run(text, ["tables", name])
    with pytest.raises(UnknownSource if name.strip() else UsageError):
        world.run(text, "tables", source=name)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_target(world: TrustUQA, name: str) -> None:
    call = "Query1: get_information(relation='Town', tail_entity='Perth')"
    for target in (name, f"{{{name}}}", f"{{Club, {name}}}"):
        text = f"## Target type: {target}\n## Query:\n{call}"
        checked(world.run(text, "tables", source="clubs.csv"))


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_text_as_a_query(world: TrustUQA, name: str) -> None:
    checked(world.run(name, "tables"))


def test_a_hostile_name_that_is_there_is_found(client: TrustUQA, tmp_path: Path) -> None:
    """Text that could be statement, query or key is a name like any other."""
    there = [
        n for n in NAMES.values() if n.strip() and "\n" not in n and "\0" not in n and len(n) < 1000
    ]
    # A key of the table's rows, and what means a result also in quotes.
    there.remove(NAMES["a unit separator"])
    there.remove(NAMES["a reference"])
    path = tmp_path / "hostile.tsv"
    path.write_text("".join(f"{name}\tis\tthing {n}\n" for n, name in enumerate(there)), "utf-8")
    client.load("kg", path, dataset="hostile")
    try:
        found = 0
        for n, name in enumerate(there):
            text = f"get_information(relation='is', tail_entity='thing {n}')"
            answer = checked(client.run(text, "hostile"))
            assert answer.values == (name.strip(),) or answer.values == (name,)
            quote = '"' if "'" in name else "'"
            if not {"'", '"', "\\"} & set(name):
                text = f"get_information(head_entity={quoted(name, quote)}, relation='is')"
                assert f"thing {n}" in checked(client.run(text, "hostile")).values
                found += 1
        assert found > 10
    finally:
        client.drop("hostile")


# Many steps, and references that lead nowhere.


def steps(*calls: str) -> str:
    return "\n".join(f"Query{number}: {call}" for number, call in enumerate(calls, 1))


def test_a_text_that_is_too_long_is_refused(world: TrustUQA) -> None:
    answer = checked(world.run("get_information(relation='Town')".ljust(20_001), "tables"))
    assert answer.outcome == "failed"
    assert "at most 20,000" in answer.problems[0].message


def test_four_hundred_steps(world: TrustUQA) -> None:
    """All are run, in one transaction; each leads to the next."""
    rest = (f"set_union(output_of_query{n}, 'Perth')" for n in range(1, 400))
    text = steps("get_information(relation='county', tail_entity='Perthshire')", *rest)
    answer = checked(world.run(text, "towns", timeout=300))
    assert (answer.outcome, answer.values) == ("answered", ("Perth",))
    assert sum(stage.stage == "execute" for stage in answer.trace) == 400


@pytest.mark.parametrize(
    ("calls", "where"),
    [
        (["count(output_of_query1)"], 1),
        (["count(output_of_query2)", "count(output_of_query1)"], 1),
        (["count(['a'])", "count(output_of_query3)", "count(output_of_query2)"], 2),
        (["count(['a'])", "set_union(output_of_query1, [output_of_query7])"], 2),
        (["count(['a'])", "count(max(output_of_query9))"], 2),
        (["count(output_of_query0)"], 1),
        ([f"count(output_of_query{'9' * 9})"], 1),
        (["output_of_query1"], 1),
        (["count(['a'])", "output_of_query1 + output_of_query5"], 2),
        (["get_information(head_entity=output_of_query1, relation='Town')"], 1),
        (["get_information(relation=output_of_query2, tail_entity='Perth')"], 1),
        (["keep(['1'], value>output_of_query3)"], 1),
    ],
)
def test_references_to_no_earlier_step_are_refused(
    world: TrustUQA, calls: list[str], where: int
) -> None:
    answer = checked(world.run(steps(*calls), "tables", source="clubs.csv"))
    assert answer.outcome == "rejected"
    assert ("unknown reference", where) in [(p.kind, p.step) for p in answer.problems]


# Tables that grow with each step of a path, and work in Python that takes long.


@pytest.fixture(scope="module")
def grid(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    """Each of thirty heads leads to each of thirty tails."""
    path = tmp_path_factory.mktemp("grid") / "grid.tsv"
    path.write_text("".join(f"h{n}\tr\tt{m}\n" for n in range(30) for m in range(30)))
    client.load("kg", path, dataset="grid")
    yield client
    client.drop("grid")


@pytest.mark.parametrize(
    "columns",
    [
        "r > ^r > r > ^r > r as x",
        "r as a, r#2 as b, r#3 as c, r#4 as d",
        "r > ^r > r > ^r as x",
        " > ".join(["r", "^r"] * 25) + " as x",
    ],
)
def test_a_table_is_counted_before_it_is_made(
    grid: TrustUQA, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Ways, "walk", None)
    (problem,) = grid.run(f"get_table(columns='{columns}')", "grid").problems
    assert problem.kind == "too large"


TABLE = "get_table(columns='r as a')"


@pytest.mark.parametrize(
    "step",
    [
        "calculate(set=output_of_query{0}, expression='{0} + 1', name='c{0}')",
        "sort(output_of_query{0})",
        "get_table(columns='r as a')",
        "get_information(relation='r')",
        "count(set_union(output_of_query1, output_of_query{0}))",
    ],
)
def test_all_results_of_a_query_are_counted(
    grid: TrustUQA, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [TABLE, *(step.format(number) for number in range(1, 100))]
    assert grid.run(steps(*calls[:2]), "grid").outcome == "answered"
    monkeypatch.setattr("trustuqa_neo4j.execution.context.MAX_RESULT_BYTES", 900 * 1_000)
    (problem,) = grid.run(steps(*calls), "grid").problems
    assert problem.kind == "too large"
    assert (problem.step or 0) > 2


def test_operands_are_counted_before_they_are_joined(
    grid: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trustuqa_neo4j.execution.context.MAX_RESULT_BYTES", 900 * 1_000)
    monkeypatch.setattr("trustuqa_neo4j.reasoning.sets.distinct_cells", None)
    (problem,) = grid.run(
        steps(TABLE, f"set_union({', '.join(['output_of_query1'] * 500)})"), "grid"
    ).problems
    assert (problem.kind, problem.step) == ("too large", 2)


@pytest.mark.parametrize(
    "call",
    [
        "sort(output_of_query1)",
        "keep(output_of_query1, value='t1')",
        "distinct(output_of_query1)",
        "count_by(output_of_query1)",
        "set_difference(output_of_query1, ['t1'])",
        "calculate(set=output_of_query1, expression='1 + 1', name='b')",
        "group_by(set=output_of_query1, by='a', values='count() as n')",
    ],
)
def test_time_is_up_inside_of_a_function(
    grid: TrustUQA, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock stands still until the table is there, and again after the function began."""
    monkeypatch.setattr("trustuqa_neo4j.deadline._ITEMS_BETWEEN_CHECKS", 10)
    begin = Executor._apply if "set=" not in call else tabular
    name = "Executor._apply" if "set=" not in call else "tabular"

    def end_of_time(*arguments: Any) -> Any:
        monkeypatch.setattr("trustuqa_neo4j.execution.executor.check_time", lambda: None)
        monkeypatch.setattr("trustuqa_neo4j.deadline.monotonic", lambda: inf)
        return begin(*arguments)

    monkeypatch.setattr(f"trustuqa_neo4j.execution.executor.{name}", end_of_time)
    monkeypatch.setattr("trustuqa_neo4j.pipeline.make_answer", None)
    with pytest.raises(TimedOut):
        grid.run(steps(TABLE, call), "grid")


def test_time_is_up_between_rows_and_operations(
    grid: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only in statements of the server."""
    walk = _Ways.walk

    def end_of_time(*arguments: Any) -> Any:
        monkeypatch.setattr("trustuqa_neo4j.deadline.monotonic", lambda: inf)
        return walk(*arguments)

    monkeypatch.setattr(_Ways, "walk", end_of_time)
    with pytest.raises(TimedOut):
        grid.run("get_table(columns='r as a')", "grid")
