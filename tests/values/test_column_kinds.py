"""Cells of a column that repeat are looked at once, and count as if each had been looked at."""

from __future__ import annotations

import random

import pytest

from trustuqa_neo4j.values import KindSurvey, column_kinds, read_value
from trustuqa_neo4j.values.value import DEFAULT_VALUE_OPTIONS

TEXTS = (
    "red", "true", "False", " blue ", "NA", "-", "1999", "1234", "0.5", "12 kg", "Jan-24", "1e6", "", "3rd",
)  # fmt: skip


def survey(cells: list[str]) -> tuple[object, ...]:
    kinds = KindSurvey("c")
    for line, cell in enumerate(cells, 2):
        kinds.add(cell, "t.csv", line)
    decided = kinds.decide(DEFAULT_VALUE_OPTIONS, DEFAULT_VALUE_OPTIONS)
    counts = {
        name: getattr(kinds, name)
        for name in ("_filled", "_others", "_truths", "_typed_others", "_wholes", "_decimals")
    }
    return decided, kinds.notes, counts, kinds.missing


@pytest.mark.parametrize("seed", range(12))
def test_repeated_texts_count_like_any_others(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    texts = chance.sample(TEXTS, chance.randint(2, 8))
    cells = chance.choices(texts, [chance.random() ** 4 for _ in texts], k=3000)
    known = survey(cells)
    monkeypatch.setattr(column_kinds, "MAX_COUNTED_TEXTS", 0)
    assert survey(cells) == known


def test_frequent_texts_are_those_of_more_cells() -> None:
    kinds = KindSurvey("c")
    for line in range(10):
        kinds.add("often", "t.csv", line)
        kinds.add(f"once {line}", "t.csv", line)
    assert kinds.list_frequent(9) == {"often"}
    assert kinds.list_frequent(10) == set()


RUN = [str(number) for number in range(1990, 2000)]


@pytest.mark.parametrize(
    ("name", "cells", "is_year"),
    [
        ("order", RUN, False),
        ("Order No.", RUN, False),
        ("no", RUN, False),
        ("roomNumber", RUN, False),
        ("locker", RUN, False),
        ("last_ticket", RUN, False),
        ("from account", RUN, False),
        ("end_room", RUN, False),
        ("to", ["950", *RUN], False),
        ("first", ["17", "2004"], False),
        ("weight", [*RUN, "2350"], False),
        ("weight", [*RUN, "1990.5"], False),
        ("hall", ["1066", "1990"], False),
        ("hall", ["1990", "2150"], False),
        ("year", [*RUN, "476"], True),
        ("order year", RUN, True),
        ("founded", ["950", *RUN], True),
        ("from", RUN, True),
        ("last", RUN, True),
        ("until", [*RUN, "9999"], True),
        ("hall", ["1990", "2004"], True),
    ],
)
def test_codes_are_not_years(name: str, cells: list[str], is_year: bool) -> None:
    kinds = KindSurvey(name)
    for line, cell in enumerate(cells, 2):
        kinds.add(cell, "t.csv", line)
    decided = kinds.decide(DEFAULT_VALUE_OPTIONS, DEFAULT_VALUE_OPTIONS)
    assert decided.kind == (None if is_year else "number")
    value = read_value("1990", decided)
    assert value is not None
    assert (value.start is not None) == is_year
    assert value.number == 1990
