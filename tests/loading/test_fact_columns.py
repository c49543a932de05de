"""Lines of facts and rows of tables, told apart by their shape."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.loading.fact_columns import detect_shape, time_role

NAMES = st.text(alphabet="abcdefghijklmnop ", min_size=1, max_size=12).filter(str.strip)
RELATIONS = st.sampled_from(["directed by", "born in", "member of"])


def write(rows: list[list[str]], delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue()


@given(
    facts=st.lists(st.tuples(NAMES, RELATIONS, NAMES), min_size=5, max_size=40),
    delimiter=st.sampled_from("\t|,"),
)
def test_facts(facts: list[tuple[str, str, str]], delimiter: str) -> None:
    facts.append((facts[0][0], facts[0][1], "again"))
    shape = detect_shape(write([list(fact) for fact in facts], delimiter), is_complete=True)
    assert shape is not None
    assert (shape.format, shape.width, shape.alternative) == ("kg", 3, "table")


@given(
    rows=st.lists(
        st.tuples(NAMES, RELATIONS, st.integers(0, 99_999).map(str)), min_size=2, max_size=40
    ),
    delimiter=st.sampled_from("\t|,;"),
)
def test_a_header_above_numbers_is_a_table(
    rows: list[tuple[str, str, str]], delimiter: str
) -> None:
    table = [["Name", "Category", "Price"], *map(list, rows)]
    shape = detect_shape(write(table, delimiter), is_complete=True)
    assert shape is not None
    assert (shape.format, shape.delimiter, shape.alternative) == ("table", delimiter, "")


@given(st.text(max_size=300).filter(lambda text: "\0" not in text), st.booleans())
def test_any_text_has_a_shape(text: str, is_complete: bool) -> None:
    shape = detect_shape(text, is_complete)
    assert (shape is None) == (not text.strip())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The last line of a beginning may be cut off.
        ("a|r|b\na|r|c\nd|r|e\nf|", "kg"),
        ("a|r|b|1969\na|r|c|1970-05-##\nd|r|e|19", "temporal-kg"),
        # A few numbers after the tail are no years.
        ("a|r|b|3\na|r|c|12\n", "table"),
        ("a|r|b|3.5|1969\na|r|c|2.5|1970\n", "table"),
        ("a|r|b|x|1969\na|r|c|y|1970\n", "table"),
        # Relations are words.
        ("1|2|3\n1|2|4\n1|2|5\n", "table"),
        ("a|1969-01-01|b\na|1969-01-01|c\n", "table"),
        ("a|r|b\na||c\na|r|d\n", "table"),
        # Few facts of many relations make a graph if nodes join them.
        ("Ann|mother of|Ben\nBen|lives in|Oslo\nOslo|capital of|Norway\nDee|owns|Rex\n", "kg"),
        ("Ann|mother of|Ben\nCid|lives in|Oslo\nEve|born in|Norway\nDee|owns|Rex\n", "table"),
        ("employee|manager|mentor\nAnn|Ben|Cid\nBen|Cid|Ann\nCid|Ben|Ann\n", "table"),
        # A quote is an ordinary character between bars and tabs.
        ('a|r|"b\na|r|c\nd|r|e\n', "kg"),
    ],
)
def test_shapes(text: str, expected: str) -> None:
    shape = detect_shape(text, is_complete=text.endswith("\n"))
    assert shape is not None
    assert shape.format == expected


def test_a_few_bad_lines_are_no_table() -> None:
    shape = detect_shape("a|r|b\n" * 50 + "bad\n" + "c|r|d\n" * 50, is_complete=True)
    assert shape is not None
    assert shape.format == "kg"


def test_roles_of_columns() -> None:
    assert [time_role(name) for name in ("Start_Time", "until", "year", "aim")] == [
        "start", "end", "time", None,
    ]  # fmt: skip
