"""What texts mean: numbers, units, dates, intervals, and how they compare."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.golden_cases import cases
from support.processor import a_minute_at_most

from trustuqa_neo4j.values import (
    DEFAULT_VALUE_OPTIONS,
    OPEN,
    BadDate,
    Interval,
    Value,
    ValueOptions,
    compare_values,
    convert_to_base_unit,
    find_comparison_kind,
    get_years,
    is_equal_value,
    is_on_yearly_days,
    read_date,
    read_interval,
    read_value,
    units,
)

PAGE = Path(__file__).parents[2] / "docs" / "values.md"
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
PIECES = (
    "1", "12", "123", "1999", "0", " ", "\n", ",", ".", "-", "–", "−", "+", "/", ":", "(", ")", "[", "]",
    "*", "†", "$", "€", "%", "km", "ft", "in", "'", '"', "½", "⁄", "May", "January", "st", "th", "s", "e",
    "x10", "1.5e5", "^", "BC", "AD", "century", "million", "to", "present", "c.", "No.", "#", "##",
    "T", "Z", "²", "\u00a0", "\u200b", "\ufeff", "٣", "\x00", "\ud800", "é",
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
TEXTS = HOSTILE | st.text() | st.text(st.sampled_from("0123456789.,'- ()"), max_size=120)
OPTIONS = st.builds(
    ValueOptions,
    dates=st.sampled_from([None, "dmy", "mdy", "iso"]),
    decimal=st.sampled_from([None, ".", ","]),
)


def value(text: str, options: ValueOptions = DEFAULT_VALUE_OPTIONS) -> Value:
    """What ``text``, which is not a mere text, means."""
    read = read_value(text, options)
    assert read is not None, text
    return read


def options(written: dict[str, Any]) -> ValueOptions:
    return ValueOptions(**{**written, "null": frozenset(written.get("null", ()))})


@cases("values")
def test_these_texts_mean_this(case: dict[str, Any]) -> None:
    given_options = options(case.get("options", {}))
    for text, expected in case["values"]:
        found = read_value(text, given_options)
        if expected is None:
            assert found is None, text
            continue
        start, end = expected.get("days", (None, None))
        end = OPEN if end == "open" else end
        expected_value = Value(expected.get("number"), expected.get("unit"), start, end)
        assert found == expected_value, text


def tables_of_the_page() -> tuple[list[str], list[str]]:
    """The forms that ``docs/values.md`` lists as read, and those it lists as refused."""
    read, refused = PAGE.read_text(encoding="utf-8").split("## Texts without a value")
    refused = refused.split("Month names are English.")[0]
    forms = [re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for part in (read, refused)]
    first, second = ([f for row in rows for f in re.findall("`([^`]+)`", row)] for rows in forms)
    return first, second


def test_the_page_says_what_is_read_and_what_is_not() -> None:
    read, refused = tables_of_the_page()
    assert len(read) > 90
    assert len(refused) > 30
    assert [form for form in read if read_value(form) is None] == []
    assert [form for form in refused if read_value(form) is not None] == []


# Any text


@settings(max_examples=500)
@given(TEXTS, OPTIONS)
def test_any_text_is_a_value_or_none(text: str, chosen: ValueOptions) -> None:
    read = read_value(text, chosen)
    if read is None:
        return
    assert (read.number is None) <= (read.start is not None)
    assert (read.start is None) == (read.end is None)
    assert read.unit is None or read.number is not None
    if read.number is not None:
        assert read.number == read.number
        assert abs(read.number) != float("inf")
    if read.start is not None and read.end is not None:
        assert read.start <= read.end


@pytest.mark.parametrize(
    "piece", ["1", "1 ", "1,", "(", "[1]", "*", "1 ft ", "é1", " ", "0", "May ", "1-"]
)
def test_time_is_linear(piece: str) -> None:
    text = piece * 1_000_000
    with a_minute_at_most():
        read_value(text)


def test_huge_numbers_are_text_or_finite() -> None:
    assert read_value("9" * 10_000) is None
    assert read_value("1e" + "9" * 50) is None
    assert read_value("1.5e400") is None
    assert value("1" + "0" * 90).number == 1e90
    assert read_value("0." + "1" * 200) is None


def test_two_identifiers_are_never_one_number() -> None:
    assert read_value("9007199254740993") is None
    assert value("999999999999999") != value("999999999999998")


# Numbers


def european(number: str) -> str:
    return number.replace(",", "_").replace(".", ",").replace("_", ".")


WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": lambda n: n,
    "spaces": lambda n: n.replace(",", " "),
    "no-break spaces": lambda n: n.replace(",", "\u00a0"),
    "thin spaces": lambda n: n.replace(",", "\u2009"),
    "apostrophes": lambda n: n.replace(",", "'"),
    "around": lambda n: f"  {n}\n",
    "footnote": lambda n: f"{n}[12]",
    "dagger": lambda n: f"{n} †",
    "about": lambda n: f"~{n}",
    "remark": lambda n: f"{n} (est.)",
    "leading plus": lambda n: f"+{n}",
}
UNITS: dict[str, tuple[str, str]] = {
    "{} km": ("km", "length"),
    "{}%": ("%", "percent"),
    "${}": ("$", "money"),
    "{} €": ("€", "money"),
    "{} m²": ("m²", "area"),
    "{} wickets": ("wicket", "count"),
}
WHOLE = st.integers(0, 10**15 - 1)
DECIMALS = st.integers(0, 10**9).flatmap(
    lambda whole: st.integers(0, 9999).map(lambda part: f"{whole:,}.{part:04}")
)


@given(WHOLE.map(lambda n: f"{n:,}") | DECIMALS, st.sampled_from(sorted(WRITTEN)))
def test_a_number_is_read_however_it_is_written(written: str, way: str) -> None:
    assert value(WRITTEN[way](written)).number == float(written.replace(",", ""))


@given(WHOLE.map(lambda n: f"{n:,}") | DECIMALS, st.sampled_from("-−–"))
def test_a_minus_is_a_minus(written: str, sign: str) -> None:
    expected = -float(written.replace(",", ""))
    assert value(sign + written).number == expected
    assert value(f"{sign}${written}") == value(f"${sign.replace('−', '-')}{written}")


@given(WHOLE.map(lambda n: f"{n:,}") | DECIMALS, st.sampled_from(sorted(UNITS)))
def test_a_unit_stays_with_its_number(written: str, form: str) -> None:
    assume(not 1000 <= float(written.replace(",", "")) < 2200)
    read = value(form.format(written))
    assert (read.number, read.unit) == (float(written.replace(",", "")), UNITS[form][0])


@given(WHOLE.map(lambda n: f"{n:,}") | DECIMALS)
def test_the_comma_is_the_decimal_mark_if_the_options_say_so(written: str) -> None:
    expected = float(written.replace(",", ""))
    german = european(written)
    assert value(german, ValueOptions(decimal=",")).number == expected
    assert value(written, ValueOptions(decimal=".")).number == expected
    if written.count(",") and written.count("."):
        assert value(german).number == expected


@given(st.integers(1000, 10**9))
def test_brackets_make_a_number_negative_if_they_can_be_nothing_else(number: int) -> None:
    assert value(f"({number:,})").number == -number
    assert value(f"(${number})").number == -number
    assert read_value(f"({number})") is None


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_durations_are_seconds(hours: int, minutes: int, seconds: int, thousandths: int) -> None:
    whole = hours * 3600 + minutes * 60 + seconds
    assert value(f"{hours}:{minutes:02}:{seconds:02}") == Value(whole, "s")
    assert value(f"{hours}h {minutes}m {seconds}s") == Value(whole, "s")
    exact = value(f"{hours}:{minutes:02}:{seconds:02}.{thousandths:03}")
    assert exact == Value(float(f"{whole}.{thousandths:03}"), "s")


def spellings() -> list[tuple[str, str]]:
    found = []
    for name, _, _, symbols, words in units._TABLE:
        found += [(symbol, name) for symbol in symbols.split("|") if symbol]
        found += [(word, name) for word in words.split("|") if word]
    return found


def test_every_unit_is_read_by_every_spelling() -> None:
    written = spellings()
    assert len({spelling for spelling, _ in written}) == len(written)
    for spelling, name in written:
        assert value(f"12.5 {spelling}") == Value(12.5, name), spelling


def test_every_money_is_read_before_and_behind() -> None:
    for sign, name in units.MONEY.items():
        assert value(f"{sign} 12.5") == Value(12.5, name), sign
        assert value(f"12.5 {sign}") == Value(12.5, name), sign


# Dates

DATES = st.dates(date(1000, 1, 1), date(2199, 12, 31))
WAYS: dict[str, Callable[[date], str]] = {
    "iso": lambda d: d.isoformat(),
    "timestamp": lambda d: f"{d.isoformat()}T12:30:00Z",
    "slashes": lambda d: f"{d.year}/{d.month}/{d.day}",
    "dots": lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    "month first": lambda d: f"{d:%B} {d.day}, {d.year}",
    "short": lambda d: f"{d:%b}. {d.day}, {d.year}",
    "day first": lambda d: f"{d.day} {d:%B} {d.year}",
    "hyphens": lambda d: f"{d.day}-{d:%b}-{d.year}",
    "weekday": lambda d: f"{d:%A}, {d:%B} {d.day}, {d.year}",
    "of": lambda d: f"{d.day}th of {d:%B} {d.year}",
    "remark": lambda d: f"{d:%B} {d.day}, {d.year}\n(age 26)",
    "footnote": lambda d: f"{d.day} {d:%B} {d.year}*",
}


@given(DATES, st.sampled_from(sorted(WAYS)))
def test_a_date_is_read_however_it_is_written(day: date, way: str) -> None:
    number = day.year * 10000 + day.month * 100 + day.day
    if day.year >= 1583 or (day.month, day.day) != (2, 29):
        assert value(WAYS[way](day)) == Value(None, None, number, number)


@given(DATES)
def test_day_and_month_change_places_only_by_option(day: date) -> None:
    number = day.year * 10000 + day.month * 100 + day.day
    for sign in "/-":
        british = f"{day.day}{sign}{day.month}{sign}{day.year}"
        american = f"{day.month}{sign}{day.day}{sign}{day.year}"
        assert value(british, ValueOptions(dates="dmy")).start == number
        assert value(american, ValueOptions(dates="mdy")).start == number
        unclear = day.day <= 12 and day.day != day.month
        for text in (british, american):
            assert (read_value(text) is None) == unclear
            assert (read_value(text, ValueOptions(dates="iso")) is None) == unclear


def proleptic(year: int, month: int, day: int) -> str:
    sign = "-" if year < 0 else ""
    return f"{sign}{abs(year):03}-{month:02}-{day:02}"


ANY_DAY = st.tuples(st.integers(-9999, 9999).filter(bool), st.integers(1, 12), st.integers(1, 28))


@given(ANY_DAY, ANY_DAY)
def test_days_sort_as_time_does(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    first, second = read_date(proleptic(*one)), read_date(proleptic(*other))
    assert first is not None
    assert second is not None
    assert (first[0] < second[0]) == (one < other)
    assert max(first[1], second[1]) < OPEN
    year = read_date(f"{proleptic(*one)[:-6]}-##-##")
    assert year is not None
    assert year[0] <= first[0] <= year[1]


@given(st.dates(date(1600, 1, 1), date(2100, 1, 1)), st.integers(1, 2000))
def test_consecutive_days_do_not_overlap(day: date, more: int) -> None:
    later = day + timedelta(days=more)
    a, b = (read_date(d.isoformat()) for d in (day, later))
    assert a is not None
    assert b is not None
    assert a[1] < b[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1999-03-05", (19990305, 19990305)),
        ("1999-03-##", (19990301, 19990331)),
        ("1999-##-##", (19990101, 19991231)),
        ("1999-##-05", (19990101, 19991231)),
        ("2004-02-##", (20040201, 20040229)),
        ("1999-03", (19990301, 19990331)),
        ("1999", (19990101, 19991231)),
        ("19##-##-##", (19000101, 19991231)),
        ("19##", (19000101, 19991231)),
        ("195#-##-##", (19500101, 19591231)),
        ("-49#", (-4989899, -4898769)),
        ("-490-##-##", (-4899899, -4898769)),
        ("−490", (-4899899, -4898769)),
        ("-0044-03-15", (-439685, -439685)),
        ("123-##-##", (1230101, 1231231)),
        ("87", (870101, 871231)),
        ("1999-03-05T00:00:00Z", (19990305, 19990305)),
        ("1999-03-05 12:00:00", (19990305, 19990305)),
        ("+1999-03-05T00:00:00Z", (19990305, 19990305)),
        ("+1999-00-00T00:00:00Z", (19990101, 19991231)),
        ("+12345-01-01", (123450101, 123450101)),
        ("19990305", (19990305, 19990305)),
        ("March 5, 1999", (19990305, 19990305)),
        ("1999–2003", (19990101, 20031231)),
        ("490 BC", (-4899899, -4898769)),
        ("####-##-##", None),
        ("####", None),
        ("####-05-##", None),
        ("0000-00-00", None),
        ("+0000-00-00T00:00:00Z", None),
        ("?", None),
        ("", None),
        ("  ", None),
    ],
)  # fmt: skip
def test_dates_of_temporal_graphs(text: str, expected: tuple[int, int] | None) -> None:
    assert read_date(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1999-02-30", "is a date that no calendar has"),
        ("1999-13-01", "is a date that no calendar has"),
        ("1963-64-65", "is a date that no calendar has"),
        ("307-13047-09", "is a date that no calendar has"),
        ("12345", "is not a date"),
        ("1#9#", "is not a date"),
        ("10-05-12", "is not a date"),
        ("05/03/1999", "is not a date"),
        ("1999 or so", "is not a date"),
        ("unknown", "is not a date"),
        ("-13798000000", "is not a date"),
        ("9" * 5000, "is not a date"),
        ("-123456####", "is a date that no calendar has"),
    ],
)
def test_what_is_no_date_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(BadDate, match=why) as caught:
        read_date(text)
    assert caught.value.text == text
    assert (caught.value.year is not None) == ("no calendar" in why and "#" not in text)
    assert len(str(caught.value)) < 100


@given(TEXTS)
def test_any_text_is_a_date_unknown_or_refused(text: str) -> None:
    try:
        read = read_date(text)
    except BadDate:
        return
    assert read is None or read[0] <= read[1] <= OPEN


def test_dates_take_the_order_of_the_column() -> None:
    assert read_date("05/03/1999", "mdy") == (19990503, 19990503)
    assert read_interval("05/03/1999", "06/03/1999", "dmy") == Interval(19990305, 19990306)


# Intervals


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("1999", "2003", Interval(19990101, 20031231)),
        ("1999-05-##", "1999-05-##", Interval(19990501, 19990531)),
        ("2000-06-15", "2000-##-##", Interval(20000615, 20001231)),
        ("1999", "####-##-##", Interval(19990101, OPEN)),
        ("####", "1999-05-##", Interval(19990501, 19990531)),
        ("####", "####-##-##", None),
        ("2005", "2002", Interval(20020101, 20051231, reversed=True)),
        ("-490-##-##", "-480-##-##", Interval(-4899899, -4798769)),
    ],
)
def test_intervals(start: str, end: str, expected: Interval | None) -> None:
    assert read_interval(start, end) == expected


def test_the_years_of_an_interval() -> None:
    def of(start: str, end: str, latest: int = 2020) -> list[int]:
        held = read_interval(start, end)
        assert held is not None
        return list(get_years(held, latest))

    assert of("1999", "2001") == [1999, 2000, 2001]
    assert of("1999-05-##", "1999-06-##") == [1999]
    assert of("2018", "####") == [2018, 2019, 2020]
    assert of("2025", "####") == [2025]
    assert of("####", "1999") == [1999]
    assert of("-3", "-1") == [-3, -2, -1]
    assert of("2005", "2002") == [2002, 2003, 2004, 2005]


# Comparing


@pytest.mark.parametrize(
    ("text", "operator", "bound", "expected"),
    [
        ("1,000", "=", "1000", True),
        ("1000.0", "=", "1,000", True),
        ("5 km", "=", "5", True),
        ("5", "=", "5 km", True),
        ("5 km", "=", "5,000 m", True),
        ("5 km", "=", "5 mi", False),
        ("5 km", "=", "5 kg", None),
        ("3 ft 6 in", "<", "1068 mm", True),
        ("$5", "=", "£5", None),
        ("3rd", "<", "4", True),
        ("60%", ">", "50", True),
        ("3:42", ">", "220", True),
        ("3:42", ">", "2:00 PM", None),
        ("1999", ">=", "1999", True),
        ("5,000", ">", "1990", True),
        ("March 5, 1999", "=", "1999", True),
        ("1999", "=", "March 5, 1999", False),
        ("March 5, 1999", "=", "March 1999", True),
        ("March 5, 1999", "<", "2000", True),
        ("March 5, 1999", "<", "1999", False),
        ("March 5, 1999", "<=", "1999", True),
        ("March 5, 1999", ">", "1999", False),
        ("March 5, 1999", ">=", "1999", True),
        ("March 5, 1999", "!=", "1999", False),
        ("1999–2003", "=", "2000", False),
        ("1999–2003", ">", "1998", True),
        ("1999–2003", "<=", "2001", False),
        ("490 BC", "<", "AD 79", True),
        ("July 19", "<", "July 20", True),
        ("July 19", "<", "1999", None),
        ("March 5, 1999", "<", "July 20", None),
        ("March 5, 1999", "<", "5", None),
        ("5 km", "<", "May 1999", None),
    ],
)  # fmt: skip
def test_comparing(text: str, operator: str, bound: str, expected: bool | None) -> None:
    assert compare_values(value(text), operator, value(bound)) is expected
    if operator == "=":
        assert is_equal_value(value(text), value(bound)) is (expected is True)


SOME = (
    "5", "1,000", "1000", "5 km", "3 mi", "4,000 m", "1999", "2003", "$5", "60%", "3:42", "6:00 PM",
    "May 5, 1999", "May 1999", "1999–2003", "490 BC", "AD 79", "July 19", "July 1–20", "1990s",
    "1999–present", "−3", "3 wickets", "19th century",
)  # fmt: skip
VALUES = st.sampled_from(SOME).map(value)


@settings(max_examples=600)
@given(VALUES, VALUES)
def test_operators_agree_with_each_other(one: Value, other: Value) -> None:
    held = {operator: compare_values(one, operator, other) for operator in OPERATORS}
    kind = find_comparison_kind(one, other)
    assert kind == find_comparison_kind(other, one)
    if kind is None:
        assert set(held.values()) == {None}
        return
    assert held["="] != held["!="]
    assert not (held["<"] and held[">"])
    for strict, loose in (("<", "<="), (">", ">=")):
        assert not held[strict] or held[loose]
        assert not held["="] or held[loose]
    if kind == "number":
        assert [held["<"], held["="], held[">"]].count(True) == 1
        assert held["<"] == compare_values(other, ">", one)


@pytest.mark.parametrize(
    ("text", "bound", "expected"),
    [
        ("5 March 1999", "March 5", True),
        ("5 March 1999", "March 6", False),
        ("March 1999", "March 5", False),
        ("March 5", "5 March 1999", False),
        ("March 5", "March 5", False),
        ("1999", "March 5", False),
        ("5", "March 5", False),
    ],
)
def test_a_day_recurs_each_year(text: str, bound: str, expected: bool) -> None:
    one, other = read_value(text), read_value(bound)
    assert one is not None
    assert other is not None
    assert is_on_yearly_days(one, other) is expected


def test_units_of_one_kind_have_one_base() -> None:
    assert convert_to_base_unit(5, None) == (None, 5)
    assert convert_to_base_unit(5, "wicket") == ("wicket", 5)
    assert convert_to_base_unit(3.5, "ft") == ("length", pytest.approx(1.0668))
    for unit, number in {"km": 5, "m": 5000, "mi": 3.106856}.items():
        assert convert_to_base_unit(number, unit) == ("length", pytest.approx(5000))


# The data packs


@pytest.mark.packs
@pytest.mark.parametrize(
    ("name", "facts", "still_open", "turned", "refused"),
    [
        ("yago11k/kg.tsv.gz", 20_509, 8_996, 70, 2),
        ("cronquestions/wikidata12k.tsv.gz", 40_621, 4_735, 10, 0),
        ("cronquestions/kg.tsv.gz", 8_773, 0, 0, 0),
        ("cronquestions/ids/kg.tsv.gz", 8_823, 0, 0, 0),
    ],
)
def test_the_dates_of_published_temporal_graphs(
    packs: Path, name: str, facts: int, still_open: int, turned: int, refused: int
) -> None:
    counted = [0, 0, 0, 0]
    with gzip.open(packs / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            *_, start, end = line.rstrip("\n").split("\t")
            if start == "start":
                continue
            counted[0] += 1
            try:
                held = read_interval(start, end)
            except BadDate:
                counted[3] += 1
                continue
            assert held is not None
            counted[1] += held.end == OPEN
            counted[2] += held.reversed
    assert counted == [facts, still_open, turned, refused]


@pytest.mark.packs
def test_the_labelled_answers_of_wtq_read_as_they_are_meant(packs: Path) -> None:
    """A label that Python takes for a number is that number here."""
    read = 0
    with gzip.open(packs / "wtq" / "questions.train.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            for answer in json.loads(line)["answers"]:
                try:
                    number = float(answer)
                except ValueError:
                    continue
                found = read_value(answer)
                if found is None:
                    assert number != number or abs(number) == float("inf"), answer
                else:
                    read += 1
                    assert found.number == number, answer
    assert read > 5_000


CELLS_OF_WTQ = {
    "number": 90_821,
    "number with a unit": 11_949,
    "year, or a number like one": 19_937,
    "date": 19_223,
    "text with digits": 41_488,
    "text without digits, or empty": 181_758,
}


@pytest.mark.packs
def test_each_kind_of_value_is_as_common_among_the_cells_of_wtq(packs: Path) -> None:
    counted: Counter[str] = Counter()
    with tarfile.open(packs / "wtq" / "tables.tar.gz") as tables:
        for member in tables:
            file = tables.extractfile(member)
            if file is None:
                continue
            text = io.StringIO(file.read().decode("utf-8"), newline="")
            rows = csv.reader(text, escapechar="\\", doublequote=False)
            next(rows)
            counted.update(kind(cell) for row in rows for cell in row)
    assert counted == CELLS_OF_WTQ
    assert f"All {counted.total():,} cells" in PAGE.read_text(encoding="utf-8")


def kind(text: str) -> str:
    read = read_value(text)
    if read is None:
        return "text with digits" if re.search(r"\d", text) else "text without digits, or empty"
    if read.start is None:
        return "number with a unit" if read.unit else "number"
    return "date" if read.number is None else "year, or a number like one"


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("0120", (1200101, 1201231)),
        ("-0044", (-439899, -438769)),
        ("-0044-03-15", (-439685, -439685)),
        ("1979+02:00", (19790101, 19791231)),
        ("1979-02:00", (19790101, 19791231)),
        ("2003-07-01Z", (20030701, 20030701)),
        ("2016-08-16T12:05:34.5-05:00", (20160816, 20160816)),
        ("2004-11", (20041101, 20041130)),
        ("--02-29", (229, 229)),
        ("--05-07", (507, 507)),
        ("2003-02-30", None),
        ("0000", (-9899, -8769)),
    ],
)
def test_a_text_that_is_certainly_a_date(text: str, days: tuple[int, int] | None) -> None:
    value = read_value(text, ValueOptions(kind="date", dates="iso"))
    assert (None if value is None else (value.start, value.end)) == days


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("PT2H30M", 9000, "s"), ("P1Y6M", 1.5, "year"), ("P3D", 3, "day"), ("-PT5S", -5, "s"),
        ("P2W", 2, "week"),
    ],
)  # fmt: skip
def test_a_text_that_is_certainly_a_duration(text: str, number: float, unit: str) -> None:
    value = read_value(text, ValueOptions(kind="number"))
    assert value is not None
    assert (value.number, value.unit) == (number, unit)
    assert read_value(text) is None


def test_a_day_before_christ_needs_no_option() -> None:
    value = read_value("-0044-03-15T00:00:00Z")
    assert value is not None
    assert (value.start, value.end) == (-439685, -439685)
    assert read_value("-0044") == Value(-44.0)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("+1902-00-00T00:00:00Z/7", (19010101, 20001231)),
        ("+1994-00-00T00:00:00Z/8", (19900101, 19991231)),
        ("+1994-05-06T00:00:00Z/9", (19940101, 19941231)),
        ("+1994-05-00T00:00:00Z/10", (19940501, 19940531)),
        ("-0044-03-15T00:00:00Z/11", (-439685, -439685)),
        ("-0044-00-00T00:00:00Z/7", (-999899, -8769)),
        ("-00002500-01-01T00:00:00Z", (-24999899, -24999899)),
    ],
)
def test_dates_of_wikidata_have_a_precision(text: str, days: tuple[int, int]) -> None:
    assert read_date(text) == days


def test_a_precision_that_says_no_date() -> None:
    with pytest.raises(BadDate, match="is not a date"):
        read_date("+1994-05-06T00:00:00Z/3")
