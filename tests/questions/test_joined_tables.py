"""Tables with the same columns are asked as one, unless the question names one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from trustuqa_neo4j import Answer, TrustUQA
from trustuqa_neo4j.model.dataset import SchemaSource
from trustuqa_neo4j.questions.joined_tables import MAX_GROUPED, group_tables

MONTHS = {
    "sales-march.csv": "customer,amount\nAnn,11\nBo,12\n",
    "sales-april.csv": "customer,amount\nAnn,21\nCid,22\nDot,23\n",
    "sales-may.csv": "amount,customer\n31,Bo\n",
}
OTHERS = {"people.csv": "customer,town\nAnn,Oslo\nEve,Rome\n"}

Load = Callable[[Mapping[str, str]], Callable[..., Answer]]


@pytest.fixture
def load(client: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    monkeypatch.chdir(tmp_path)

    def load_files(files: Mapping[str, str]) -> Callable[..., Answer]:
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        client.load("table", *files, dataset="joined", embeddings=False)
        return lambda question, **options: client.ask(
            question, "joined", llm="demonstrations", **options
        )

    yield load_files
    client.drop("joined")


def test_all_tables_are_asked(load: Load) -> None:
    ask = load(MONTHS)
    for question, values in {
        "How many customers are there?": (4,),
        "What is the total amount?": (120,),
        "Which customer has the highest amount?": ("Bo",),
        "Which amount does Cid have?": ("22",),
        "Who has an amount above 22?": ("Bo", "Dot"),
    }.items():
        answer = ask(question)
        assert (tuple(sorted(answer.values)), answer.source) == (values, None), question
        assert answer.hints[0].startswith("asked of 3 tables with the same columns (")


def test_one_table_is_asked_if_it_is_named(load: Load) -> None:
    ask = load(MONTHS)
    assert ask("What is the total amount in april?").values == (66,)
    answer = ask("What is the total amount?", source="sales-may.csv")
    assert (answer.values, answer.hints) == ((31,), ())
    # Two of three cannot be asked by one query.
    assert ask("What is the total amount in march and april?").outcome == "not_askable"


def test_columns_of_other_tables_are_not_asked(load: Load) -> None:
    ask = load(MONTHS | OTHERS)
    assert ask("What is the total amount?").values == (120,)
    assert ask("In which town is Eve?").values == ("Rome",)
    assert ask("How many amounts are there of Ann?").outcome == "not_askable"


def test_large_tables_are_not_joined(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    from trustuqa_neo4j.questions import with_semantic_parser

    ask = load(MONTHS)
    monkeypatch.setattr(with_semantic_parser, "MAX_CELLS", 10)
    answer = ask("What is the total amount?")
    assert answer.outcome == "not_askable"
    assert "3 tables have these columns" in str(answer.problems)
    assert len(answer.readings) == 3
    assert ask("What is the total amount?", pick=1).outcome == "answered"


def test_rows_of_several_tables_have_no_order(load: Load) -> None:
    ask = load(MONTHS)
    assert ask("Who is the last customer?").outcome == "not_askable"


@pytest.mark.parametrize("count", [12, MAX_GROUPED + 1])
def test_groups_are_selected_in_the_order_of_the_names(count: int) -> None:
    tables = tuple(
        SchemaSource(f"t{n}.csv", "table", (), 4, ("a", f"b{n % 4}")) for n in range(count)
    )
    grouped = group_tables(tables)
    is_grouped = count <= MAX_GROUPED
    assert len(grouped.groups) == (4 if is_grouped else count)
    names = ["t9.csv", "none", "t5.csv", "t2.csv", "t9.csv", "t0.csv"]
    selected = [group[0].name for group in grouped.select(names, 2)]
    assert selected == (["t1.csv", "t2.csv"] if is_grouped else ["t9.csv", "t5.csv"])
    assert len(grouped.select(names, 99)) == (3 if is_grouped else 4)
