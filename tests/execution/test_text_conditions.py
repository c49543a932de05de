"""``contains``, ``starts with`` and ``ends with`` over a table, a graph and a temporal graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.execution import fact_search

LONG = "Zulu " * 50 + "finale"
FILMS = f"""Title,Director,Email,Price,Share
Love Story,Ana Lím,ana@film.org,12,50%
The Glove,Bo Love,bo@film.com,7,
LÓVE-letters,Cy Orb,cy@shop.org,9,20%
1917,Dee Moss,dee@shop.net,4,half
Talk to Her,Ana Lím,,5,
{LONG},Ana Lím,,3,
"""
GRAPH = """head\trelation\ttail
Love Story\tdirected_by\tAna Lim
Love Story\tyear\t1970
The Glove\tdirected_by\tBo Love
Heat\tdirected_by\tCy Orb
Ana Lim\tborn_in\tLovere
"""
TIMES = """head\trelation\ttail\tstart\tend
Ana Lim\tworked at\tLovelace Works\t1990\t1994
Ana Lim\tworked at\tIronworks\t1995\t1999
Bo Orb\tworked at\tLovelace Works\t1998\t2001
"""


@pytest.fixture(scope="module")
def films(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    folder = tmp_path_factory.mktemp("texts")
    for name, text in (("films.csv", FILMS), ("graph.tsv", GRAPH), ("times.tsv", TIMES)):
        (folder / name).write_text(text, encoding="utf-8")
    client.load("table", folder / "films.csv", dataset="texts table", embeddings=False)
    client.load("kg", folder / "graph.tsv", dataset="texts graph", embeddings=False)
    client.load("temporal-kg", folder / "times.tsv", dataset="texts times", embeddings=False)
    yield client
    for dataset in ("texts table", "texts graph", "texts times"):
        client.drop(dataset)


def run(client: TrustUQA, dataset: str, *calls: str) -> Answer:
    steps = "\n".join(f"Query{number}: {call}" for number, call in enumerate(calls, 1))
    return client.run(steps, dataset=f"texts {dataset}")


TITLES = "get_information(relation='Title', key='Title', value {})"


@pytest.mark.parametrize("scanned", [50_000, -1], ids=["small", "large"])
@pytest.mark.parametrize(
    ("condition", "titles"),
    [
        ("contains 'love'", ["Love Story", "The Glove", "LÓVE-letters"]),
        ("contains 'LOVE letters'", ["LÓVE-letters"]),
        ("contains ['story', 'glove']", ["Love Story", "The Glove"]),
        ("contains 'to'", ["Love Story", "Talk to Her"]),
        ("starts with 'love'", ["Love Story", "LÓVE-letters"]),
        ("starts with 'The'", ["The Glove"]),
        ("starts with '19'", ["1917"]),
        ("starts with 'love', value ends with 'letters'", ["LÓVE-letters"]),
        ("ends with 'her'", ["Talk to Her"]),
        ("ends with 'finale'", [LONG]),
        ("contains 'zulu finale'", [LONG]),
        (f"starts with '{LONG}'", [LONG]),
        ("contains '-'", ["LÓVE-letters"]),
        ("contains 'highest'", []),
    ],
)
def test_texts_of_a_column(
    films: TrustUQA,
    monkeypatch: pytest.MonkeyPatch,
    scanned: int,
    condition: str,
    titles: list[str],
) -> None:
    monkeypatch.setattr(fact_search, "SCANNED", scanned)
    answer = run(films, "table", TITLES.format(condition))
    assert sorted(answer.values) == sorted(titles)


def test_many_names_with_a_prefix_are_found_by_a_scan(
    films: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fact_search, "SCANNED", -1)
    monkeypatch.setattr(fact_search, "MAX_PREFIXED", 1)
    answer = run(films, "table", TITLES.format("starts with 'l'"))
    assert sorted(answer.values) == ["Love Story", "LÓVE-letters"]


@pytest.mark.parametrize(
    ("dataset", "calls", "values"),
    [
        ("table", ("get_information(relation='Email', tail_entity ends with '.org')",
                   "get_information(head_entity=output_of_query1, relation='Director')"),
         ["Ana Lím", "Cy Orb"]),
        ("table", ("get_information(relation='Director', tail_entity='Ana Lim', key='Title')",
                   "keep(set=output_of_query1, value contains 'love')"), ["Love Story"]),
        ("table", ("get_table(columns=['Title', 'Price'])",
                   "keep(set=output_of_query1, column='Title', value starts with 'talk')",
                   "count(set=output_of_query2)"), [1]),
        ("table", ("get_information(relation='Share', key='Title', value contains '1917')",), ["half"]),
        ("table", ("get_information(relation='Share', tail_entity contains '%')",
                   "count(set=output_of_query1)"), [2]),
        ("table", ("get_information(relation='Title')", "output_of_query1 contains 'glove'"), ["yes"]),
        ("table", ("get_information(relation='Title')", "output_of_query1 contains 'qq'"), ["no"]),
        ("table", ("search_condition('Title', 'glove', op='contains')", "count(set=output_of_query1)"), [1]),
        ("graph", ("get_information(relation='directed_by', tail_entity contains 'love')",), ["The Glove"]),
        ("graph", ("get_information(head_entity contains 'love', relation='directed_by')",),
         ["Ana Lim", "Bo Love"]),
        ("graph", ("get_information(head_entity starts with 'love', relation='directed_by', key='born_in')",),
         ["Lovere"]),
        ("times", (("get_information(relation='worked at', tail_entity contains 'lovelace', key='time',"
                   " value=1991)"),), ["Ana Lim"]),
        ("times", ("get_information(head_entity ends with 'orb', relation='worked at')",),
         ["Lovelace Works"]),
    ],
)  # fmt: skip
def test_texts_in_steps(
    films: TrustUQA, dataset: str, calls: tuple[str, ...], values: list[str | float]
) -> None:
    assert sorted(run(films, dataset, *calls).values, key=str) == values


@pytest.mark.parametrize(
    ("dataset", "call", "outcome", "message"),
    [
        ("table", "get_information(relation='Price', tail_entity contains '1')", "rejected",
         "contains needs text, and Price leads to numbers; compare with =, < or >"),
        ("table", "get_information(relation='Title', tail_entity contains ' ')", "rejected",
         "contains needs a text, and '' is empty: every text would fit"),
        ("table", "get_information(head_entity contains 'love', relation='Title')", "rejected",
         ("head_entity contains compares names, and rows of a table have none; "
         "compare a column: relation='…', tail_entity contains '…'")),
        ("graph", "get_information(head_entity contains 'love')", "rejected",
         "head_entity contains needs a relation, whose heads are searched"),
        ("table", "get_information(relation='Title', tail_entity starts with 'qq')", "empty",
         "nothing in Title starts with 'qq'"),
    ],
)  # fmt: skip
def test_problems(films: TrustUQA, dataset: str, call: str, outcome: str, message: str) -> None:
    answer = run(films, dataset, call)
    assert answer.outcome == outcome
    assert message in [problem.message for problem in answer.problems]


def test_a_text_that_nothing_contains_is_counted(films: TrustUQA) -> None:
    call = "get_information(relation='Title', tail_entity contains 'qq')"
    answer = run(films, "table", call, "count(set=output_of_query1)")
    assert answer.values == (0,)
    assert [problem.kind for problem in answer.problems] == ["unknown name"]
