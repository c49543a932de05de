"""Plans mean in memory what their queries mean on the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.plans import check_plan, read_table

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.semantic_parser.plans import (
    AggregateDifference,
    CellAggregate,
    CellComparison,
    CellSpread,
    CountDifference,
    Existence,
    FrequentCells,
    FrequentOfTwo,
    GroupedValues,
    GroupExtreme,
    GroupKey,
    MemberCellCount,
    MemberCells,
    RowCount,
    RowShare,
    SumShare,
    TablePlan,
    write_query,
)
from trustuqa_neo4j.semantic_parser.row_plans import (
    AllRows,
    CellCounts,
    CellMatch,
    CellRange,
    ColumnCells,
    ComparedRows,
    Complement,
    Conjunction,
    Disjunction,
    ExtremeRows,
    FilledRows,
    FrequentRows,
    NeighbourRow,
    PlacedRow,
    PlanFailure,
    RankedRows,
    RepeatedRows,
    SameValueRows,
    ValueCount,
)
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot

BOATS = """name,yard,built,length,crew,sold
Swift,Hansen & Sons,1998,12 m,4,2020-05-01
Gull,Hansen & Sons,2004,9.5 m,3,
O'Hara's Pride,Miller,2004,15 m,6,2021-03-15
Petrel,Miller,2011,,2,2019-11-30
Storm,Lund,2011,15 m,5,2022-07-04
"""
NAME, YARD, BUILT, LENGTH, CREW, SOLD = range(6)

# Two columns of one name, units that differ, days without a year, empty cells, names that differ in signs.
RACES = """rider,time,prize,rider,started,club,town
Ann,20.6 min,,Ben,January 16,@ Owls,Pulled Up
Cleo,55 s,5 mm,Dan,March 6,Owls,Pulled-Up
Eve,20 min,16 mm,,December 2,,Fell
Fay,0.5 min,,Gus,November 20,Owls,
"""
RIDER, TIME, PRIZE, STARTED, CLUB, TOWN = range(6)


@pytest.fixture(scope="module")
def boats(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    path = tmp_path_factory.mktemp("plans") / "boats.csv"
    path.write_text(BOATS, encoding="utf-8")
    client.load("table", path, dataset="plans of boats", embeddings=False)
    yield client
    client.drop("plans of boats")


@pytest.fixture(scope="module")
def table(boats: TrustUQA) -> TableSnapshot:
    return read_table(boats, "plans of boats")


MILLER, HANSEN = CellMatch(YARD, ("miller",)), CellMatch(YARD, ("hansen sons",))
PRIDE, SWIFT = CellMatch(NAME, ("oharas pride",)), CellMatch(NAME, ("swift",))
LATE = CellRange(BUILT, ((">", "2000"),))
LONGEST = Conjunction(ExtremeRows(AllRows(), LENGTH, "highest"), CellRange(CREW, (("<", "6"),)))

PLANS: dict[str, tuple[TablePlan, tuple[str | float, ...]]] = {
    "cells": (ColumnCells(MILLER, NAME), ("O'Hara's Pride", "Petrel")),
    "a name with quotes": (ColumnCells(PRIDE, YARD), ("Miller",)),
    "all cells": (ColumnCells(AllRows(), YARD), ("Hansen & Sons", "Miller", "Lund")),
    "a range": (ColumnCells(CellRange(BUILT, ((">=", "1998"), ("<=", "2004"))), NAME),
                ("Swift", "Gull", "O'Hara's Pride")),
    "a year of days": (ColumnCells(CellRange(SOLD, (("=", "2021"),)), NAME), ("O'Hara's Pride",)),
    "a month": (ColumnCells(CellRange(SOLD, (("=", "March"),)), NAME), ("O'Hara's Pride",)),
    "a part of a text": (ColumnCells(CellRange(YARD, (("contains", "SONS"),)), NAME), ("Swift", "Gull")),
    "the start of a text": (ColumnCells(CellRange(NAME, (("starts with", "o"),)), NAME), ("O'Hara's Pride",)),
    "the end of a text": (RowCount(CellRange(NAME, (("ends with", "l"),))), (2.0,)),
    "sold": (RowCount(FilledRows(SOLD)), (4.0,)),
    "not sold": (ColumnCells(Complement(FilledRows(SOLD)), NAME), ("Gull",)),
    "both": (ColumnCells(Conjunction(MILLER, CellRange(BUILT, ((">", "2005"),))), NAME), ("Petrel",)),
    "either": (ColumnCells(Disjunction(PRIDE, SWIFT), CREW), ("4", "6")),
    "others": (ColumnCells(Complement(MILLER), NAME), ("Swift", "Gull", "Storm")),
    "the longest, tied": (ColumnCells(ExtremeRows(AllRows(), LENGTH, "highest"), NAME),
                          ("O'Hara's Pride", "Storm")),
    "the smallest of some": (ColumnCells(ExtremeRows(HANSEN, CREW, "lowest"), NAME), ("Gull",)),
    "the latest": (ColumnCells(ExtremeRows(AllRows(), SOLD, "latest"), NAME), ("Storm",)),
    "the first": (ColumnCells(PlacedRow(AllRows(), 1), NAME), ("Swift",)),
    "the last of some": (ColumnCells(PlacedRow(HANSEN, -1), NAME), ("Gull",)),
    "the third": (ColumnCells(PlacedRow(AllRows(), 3), NAME), ("O'Hara's Pride",)),
    "the next": (ColumnCells(NeighbourRow(SWIFT, 1), NAME), ("Gull",)),
    "the one before": (ColumnCells(NeighbourRow(PRIDE, -1), NAME), ("Gull",)),
    "the same": (ColumnCells(SameValueRows(PRIDE, YARD), NAME), ("Petrel",)),
    "count": (RowCount(LATE), (4.0,)),
    "count all": (RowCount(AllRows()), (5.0,)),
    "count values": (ValueCount(AllRows(), YARD), (3.0,)),
    "sum": (CellAggregate(HANSEN, CREW, "sum"), (7.0,)),
    "mean": (CellAggregate(AllRows(), CREW, "mean"), (4.0,)),
    "difference": (CellComparison(PRIDE, SWIFT, CREW), (2.0,)),
    "difference of counts": (CountDifference(MILLER, CellMatch(YARD, ("lund",))), (1.0,)),
    "spread": (CellSpread(AllRows(), CREW), (4.0,)),
    "most frequent": (FrequentCells(LATE, YARD, "most"), ("Miller",)),
    "more frequent of two": (FrequentOfTwo(MILLER, CellMatch(YARD, ("lund",)), "most"), ("Miller",)),
    "there is": (Existence(Conjunction(MILLER, LATE)), ("yes",)),
    "there is none": (Existence(Conjunction(PRIDE, CellRange(CREW, (("<", "3"),)))), ("no",)),
    "sums of groups": (GroupedValues(AllRows(), (GroupKey(YARD),), CREW, "sum"),
                       ("Hansen & Sons", 7.0, "Miller", 8.0, "Lund", 5.0)),
    "means of groups, with a unit": (GroupedValues(AllRows(), (GroupKey(BUILT),), LENGTH, "mean"),
                                     ("1998", "12 m", "2004", "12.25 m", "2011", 15.0)),
    "rows of groups": (GroupedValues(AllRows(), (GroupKey(YARD),), NAME, "count"),
                       ("Hansen & Sons", 2.0, "Miller", 2.0, "Lund", 1.0)),
    "sums by the year of a date, which may be empty": (
        GroupedValues(AllRows(), (GroupKey(SOLD, "year"),), CREW, "sum"),
        ("2020", 4.0, "2021", 6.0, "2019", 2.0, "2022", 5.0)),
    "rows by the month of any year": (
        GroupedValues(AllRows(), (GroupKey(SOLD, "month_name"),), NAME, "count"),
        ("May", 1.0, "March", 1.0, "November", 1.0, "July", 1.0)),
    "medians of groups": (GroupedValues(AllRows(), (GroupKey(YARD),), CREW, "median"),
                          ("Hansen & Sons", 3.5, "Miller", 4.0, "Lund", 5.0)),
    "rows of two keys": (
        GroupedValues(AllRows(), (GroupKey(BUILT), GroupKey(SOLD, "decade")), NAME, "count"),
        ("1998", "2020s", 1.0, "2004", "2020s", 1.0, "2011", "2010s", 1.0, "2011", "2020s", 1.0)),
    "the share of a sum": (SumShare(MILLER, AllRows(), CREW), (40.0,)),
    "a difference of means": (
        AggregateDifference(CellAggregate(MILLER, CREW, "mean"), CellAggregate(HANSEN, CREW, "mean")),
        (0.5,)),
    "a difference of sums beside an empty cell": (
        AggregateDifference(CellAggregate(MILLER, LENGTH, "sum"), CellAggregate(HANSEN, LENGTH, "sum")),
        (6.5,)),
    "the group with the highest sum": (
        GroupExtreme(GroupedValues(AllRows(), (GroupKey(YARD),), CREW, "sum"), "highest"), ("Miller",)),
    "groups with the lowest mean, tied": (
        GroupExtreme(GroupedValues(AllRows(), (GroupKey(BUILT),), CREW, "mean"), "lowest"), ("2011",)),
    "longer than another row": (ColumnCells(ComparedRows(SWIFT, LENGTH, ">"), NAME),
        ("O'Hara's Pride", "Storm")),
    "sold before another row": (ColumnCells(ComparedRows(PRIDE, SOLD, "<"), NAME), ("Swift", "Petrel")),
    "less than a row that is selected": (ColumnCells(ComparedRows(LONGEST, CREW, "<"), NAME),
        ("Swift", "Gull", "Petrel")),
    "the second highest, after a tie": (ColumnCells(RankedRows(AllRows(), LENGTH, "highest", 2), NAME),
        ("Swift",)),
    "the second earliest of some": (ColumnCells(RankedRows(LATE, SOLD, "earliest", 2), NAME),
        ("O'Hara's Pride",)),
    "the top two": (ColumnCells(RankedRows(AllRows(), CREW, "highest", 2, is_top=True), NAME),
                    ("O'Hara's Pride", "Storm")),
    "three, with a tie": (ColumnCells(RankedRows(AllRows(), LENGTH, "lowest", 3, is_top=True), NAME),
                                     ("Swift", "Gull", "O'Hara's Pride", "Storm")),
    "yards with more than one boat": (ColumnCells(RepeatedRows(CellCounts(AllRows(), YARD), ">", 1), YARD),
                                      ("Hansen & Sons", "Miller")),
    "years with one boat of some": (ColumnCells(RepeatedRows(CellCounts(MILLER, BUILT), "=", 1), BUILT),
        ("2004", "2011")),
    "yards with two years": (ColumnCells(RepeatedRows(CellCounts(AllRows(), YARD, BUILT), ">=", 2), YARD),
                             ("Hansen & Sons", "Miller")),
    "yards with every year": (
        ColumnCells(RepeatedRows(CellCounts(AllRows(), YARD, BUILT), ">=", None), YARD), ()),
    "the year of most yards": (FrequentCells(AllRows(), BUILT, "most", of=LENGTH), ("2004",)),
    "two yards with most boats": (ColumnCells(FrequentRows(CellCounts(AllRows(), YARD), "highest", 2), YARD),
                                  ("Hansen & Sons", "Miller")),
    "yards without a boat of 2011": (
        MemberCells(AllRows(), CellMatch(BUILT, ("2011",)), YARD, is_shared=False), ("Hansen & Sons",)),
    "yards with boats of both years": (
        MemberCells(CellMatch(BUILT, ("2004",)), CellMatch(BUILT, ("2011",)), YARD, is_shared=True),
        ("Miller",)),
    "how many yards without": (
        MemberCellCount(MemberCells(AllRows(), CellMatch(BUILT, ("2011",)), YARD, is_shared=False)), (1.0,)),
    "the share of the boats": (RowShare(MILLER, AllRows()), (40.0,)),
    "the share of some": (RowShare(MILLER, LATE), (50.0,)),
    "is more": (CellComparison(PRIDE, SWIFT, CREW, ">"), ("yes",)),
}  # fmt: skip


@pytest.mark.parametrize(("plan", "members"), PLANS.values(), ids=PLANS.keys())
def test_a_plan_means_what_its_query_means(
    boats: TrustUQA, table: TableSnapshot, plan: TablePlan, members: tuple[str | float, ...]
) -> None:
    check_plan(boats, "plans of boats", table, plan, members)


@pytest.fixture(scope="module")
def races(client: TrustUQA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrustUQA]:
    path = tmp_path_factory.mktemp("races") / "races.csv"
    path.write_text(RACES, encoding="utf-8")
    client.load("wikitablequestions", path, dataset="plans of races", embeddings=False)
    yield client
    client.drop("plans of races")


@pytest.fixture(scope="module")
def race_table(races: TrustUQA) -> TableSnapshot:
    return read_table(races, "plans of races")


EVE, CLEO = CellMatch(RIDER, ("eve",)), CellMatch(RIDER, ("cleo",))
OTHER_PLANS: dict[str, tuple[TablePlan, tuple[str | float, ...]]] = {
    "several cells of a row": (ColumnCells(CLEO, RIDER), ("Cleo", "Dan")),
    "rows by a second cell": (ColumnCells(CellMatch(RIDER, ("gus",)), TIME), ("0.5 min",)),
    "several cells of the first row": (ColumnCells(PlacedRow(AllRows(), 1), RIDER), ("Ann", "Ben")),
    "one of several cells is empty": (ColumnCells(EVE, RIDER), ("Eve",)),
    "the least of two units": (
        ColumnCells(ExtremeRows(AllRows(), TIME, "lowest"), STARTED), ("November 20",)
    ),
    "the greatest of two units": (
        ColumnCells(ExtremeRows(AllRows(), TIME, "highest"), STARTED), ("January 16",)
    ),
    "after a day without a year": (ColumnCells(CellRange(STARTED, ((">", "november 15th"),)), TIME),
                                   ("20 min", "0.5 min")),
    "filled cells": (ColumnCells(AllRows(), PRIZE), ("5 mm", "16 mm")),
    "count of filled cells": (ValueCount(AllRows(), TOWN), (3.0,)),
    "filled cells of some": (ColumnCells(CellRange(STARTED, ((">", "november 15th"),)), PRIZE), ("16 mm",)),
    "most frequent, beside a name with a sign": (FrequentCells(AllRows(), CLUB, "most"), ("Owls",)),
    "least frequent, beside an empty cell": (FrequentCells(AllRows(), CLUB, "least"), ("@ Owls",)),
    "others with the same name": (RowCount(SameValueRows(CLEO, CLUB)), (1.0,)),
    "a spread with its unit": (CellSpread(AllRows(), PRIZE), ("11 mm",)),
    "a difference with its unit": (CellComparison(EVE, CLEO, PRIZE), ("11 mm",)),
    "a comparison of two units": (CellComparison(EVE, CLEO, TIME, ">"), ("yes",)),
    "a sum with its unit": (CellAggregate(CLEO, PRIZE, "sum"), ("5 mm",)),
    "a sum beside empty cells": (CellAggregate(AllRows(), PRIZE, "sum"), (21.0,)),
}  # fmt: skip


@pytest.mark.parametrize(("plan", "members"), OTHER_PLANS.values(), ids=OTHER_PLANS.keys())
def test_a_plan_reads_units_empty_and_several_cells_as_its_query_does(
    races: TrustUQA, race_table: TableSnapshot, plan: TablePlan, members: tuple[str | float, ...]
) -> None:
    assert plan.evaluate(race_table) == members
    answer = races.run(write_query(plan, race_table), "plans of races", source=race_table.name)
    assert not answer.problems
    assert sorted(map(str, answer.values)) == sorted(write_member(member) for member in members)


def write_member(member: str | float) -> str:
    return str(int(member)) if isinstance(member, float) else member


@pytest.mark.parametrize(
    "plan",
    [
        RowCount(CellRange(YARD, ((">", "75"),))),
        CellAggregate(AllRows(), NAME, "sum"),
        CellComparison(MILLER, SWIFT, CREW),
        FrequentOfTwo(MILLER, HANSEN, "most"),
        FrequentCells(AllRows(), NAME, "most"),
        RowCount(ComparedRows(MILLER, CREW, ">")),
        RowCount(ComparedRows(CellMatch(NAME, ("gull",)), SOLD, ">")),
        RowCount(RankedRows(AllRows(), LENGTH, "highest", 4)),
        RowCount(RankedRows(MILLER, CREW, "highest", 2, is_top=True)),
        SumShare(AllRows(), MILLER, CREW),
        GroupedValues(AllRows(), (GroupKey(YARD, "month"),), CREW, "sum"),
    ],
    ids=[
        "texts compared with a number",
        "a sum of names",
        "several cells",
        "equally many",
        "each once",
        "more than several rows",
        "later than an empty cell",
        "the fourth of three cells",
        "the top two of two",
        "a share of less than the part",
        "months of names",
    ],
)
def test_a_plan_without_one_answer_fails(table: TableSnapshot, plan: TablePlan) -> None:
    with pytest.raises(PlanFailure):
        plan.evaluate(table)


def test_a_table_is_read_again_after_a_load(boats: TrustUQA, tmp_path: Path) -> None:
    path = tmp_path / "crews.csv"
    path.write_text("name,crew\nSwift,4\n", encoding="utf-8")
    boats.load("table", path, dataset="crews", embeddings=False)
    try:
        assert boats.ask("what is the crew of Swift?", "crews").values == ("4",)
        path.write_text("name,crew\nSwift,9\n", encoding="utf-8")
        boats.load("table", path, dataset="crews", mode="replace", embeddings=False)
        assert boats.ask("what is the crew of Swift?", "crews").values == ("9",)
    finally:
        boats.drop("crews")
