"""``temporal-kg`` files: columns with times, what dates may be, and what is refused and how."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.items import facts, items, parts, written

from trustuqa_neo4j.errors import DataError, MalformedLine, MissingFile, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions
from trustuqa_neo4j.model.facts import Fact, SourceStart, ValidTime
from trustuqa_neo4j.values import OPEN, ValueOptions, read_interval

HEADER = "head\trelation\ttail\tstart\tend\n"


def read(folder: Path, content: str | bytes, options: ReadOptions | None = None) -> list[Fact]:
    result = items("temporal-kg", written(folder, {"facts": content}), options)
    assert parts(result) == [SourceStart("facts", "facts", "temporal-kg")]
    return facts(result)


def held(
    folder: Path, start: str, end: str, options: ReadOptions | None = None
) -> ValidTime | None:
    (fact,) = read(folder, f"a\tr\tb\t{start}\t{end}\n", options)
    return fact.held


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("1999", "2001", ValidTime(19990101, 20011231, "1999", "2001")),
        ("1999", "1999", ValidTime(19990101, 19991231, "1999", "1999")),
        ("1990-05-12", "1991-02", ValidTime(19900512, 19910228, "1990-05-12", "1991-02")),
        ("1990-05-##", "1991-##-##", ValidTime(19900501, 19911231, "1990-05-##", "1991-##-##")),
        ("19##", "####", ValidTime(19000101, OPEN, "19##", "")),
        ("19##-##-##", "####-##-##", ValidTime(19000101, OPEN, "19##-##-##", "")),
        ("1999", "", ValidTime(19990101, OPEN, "1999", "")),
        ("", "1999-05-01", ValidTime(19990501, 19990501, "", "1999-05-01")),
        ("####", "1999", ValidTime(19990101, 19991231, "", "1999")),
        (
            "-490-##-##",
            "-48#",
            ValidTime(-490 * 10000 + 101, -480 * 10000 + 1231, "-490-##-##", "-48#"),
        ),
        ("12 May 1990", "May 1991", ValidTime(19900512, 19910531, "12 May 1990", "May 1991")),
        (" 1999 ", "2001 ", ValidTime(19990101, 20011231, "1999", "2001")),
        ("####", "####-##-##", None),
        ("", "", None),
    ],
)
def test_when_facts_held(tmp_path: Path, start: str, end: str, expected: ValidTime | None) -> None:
    assert held(tmp_path, start, end) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\tr\tb\t1999\t2001\n", [("a", "r", "b", 1)]),
        ("a|r|b|1999|2001\n", [("a", "r", "b", 1)]),
        (
            '"a, b",r,"c\nd",1999,2001\ne,r,f,1999,\n',
            [("a, b", "r", "c\nd", 1), ("e", "r", "f", 3)],
        ),
        (HEADER + "\na\tr\tb\t1999\t2001\n", [("a", "r", "b", 3)]),
        ("subject,predicate,object,since,until\na,r,b,1999,2001\n", [("a", "r", "b", 2)]),
        ("h|r|t|t1|t2\na|r|b|1999|2001\n", [("a", "r", "b", 2)]),
        ("a\tr\tb\t1999\t2001\r\n\r\n", [("a", "r", "b", 1)]),
    ],
)
def test_what_is_read(
    tmp_path: Path, content: str, expected: list[tuple[str, str, str, int]]
) -> None:
    for given_as in (content.encode(), gzip.compress(content.encode(), mtime=0)):
        result = read(tmp_path, given_as)
        assert [(f.head, f.relation, f.tail, f.line) for f in result] == expected
        assert result[0].held == ValidTime(19990101, 20011231, "1999", "2001")
        assert not result[0].qualifiers


@pytest.mark.parametrize(
    "content",
    [
        "a\tr\tb\t1999\n",
        "head|relation|tail|time\na|r|b|1999\n",
        "head,relation,tail,when\na,r,b,1999\n",
        "head,relation,tail,anything\na,r,b,1999\n",
    ],
)
def test_one_time_is_both_ends(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content)[0].held == ValidTime(19990101, 19991231, "1999", "1999")


def test_one_time_may_be_partly_known_or_unknown(tmp_path: Path) -> None:
    first, second = read(tmp_path, "a\tr\tb\t19##\na\tr\tc\t####\n")
    assert first.held == ValidTime(19000101, 19991231, "19##", "19##")
    assert second.held is None


def test_a_header_says_where_times_stand_and_what_qualifies(tmp_path: Path) -> None:
    content = (
        "head\trelation\ttail\tplace\tend time\tnote\tstart time\na\tr\tb\tRome\t2001\t \t1999\n"
    )
    assert read(tmp_path, content) == [
        Fact("a", "r", "b", 2, ValidTime(19990101, 20011231, "1999", "2001"), (("place", "Rome"),))
    ]


def test_a_time_beside_start_and_end_is_a_qualifier(tmp_path: Path) -> None:
    content = HEADER.replace("end", "end\tdate") + "a\tr\tb\t1999\t2001\t2020\n"
    assert read(tmp_path, content)[0].qualifiers == (("date", "2020"),)


def test_a_time_and_a_qualifier(tmp_path: Path) -> None:
    content = "head\trelation\ttail\tplace\tyear\na\tr\tb\tRome\t1999\n"
    held = ValidTime(19990101, 19991231, "1999", "1999")
    assert read(tmp_path, content) == [Fact("a", "r", "b", 2, held, (("place", "Rome"),))]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("since", ValidTime(19990101, OPEN, "1999", "")),
        ("until", ValidTime(19990101, 19991231, "", "1999")),
    ],
)
def test_one_end_alone(tmp_path: Path, name: str, expected: ValidTime) -> None:
    (fact,) = read(tmp_path, f"head\trelation\ttail\t{name}\na\tr\tb\t1999\n")
    assert fact.held == expected


def test_an_interval_that_is_reversed_is_kept_and_told(tmp_path: Path) -> None:
    options = ReadOptions()
    result = read(tmp_path, HEADER + "a\tr\tb\t2001\t1999\na\tr\tc\t1999\t1999\n" * 6, options)
    assert result[0].held == ValidTime(19990101, 20011231, "2001", "1999")
    assert len(result) == 12
    (message,) = options.remarks
    assert message == "the end precedes the start"
    assert options.remarks[message].times == 6
    assert options.remarks[message].places == [f"facts:{line}" for line in (2, 4, 6, 8, 10)]


def test_the_order_of_day_and_month_is_an_option(tmp_path: Path) -> None:
    for order, day in (("dmy", 19990305), ("mdy", 19990503)):
        options = ReadOptions(values=ValueOptions(dates=order))  # type: ignore[arg-type]
        result = held(tmp_path, "05/03/1999", "", options)
        assert result == ValidTime(day, OPEN, "05/03/1999", "")
    with pytest.raises(MalformedLine, match="dates="):
        held(tmp_path, "05/03/1999", "")


BAD: dict[str, tuple[str | bytes, type[DataError], str, str]] = {
    "empty": (b"", UnreadableFile, "the file is empty", "facts"),
    "blank": (b"\n\n", UnreadableFile, "only blank lines", "facts"),
    "header only": (HEADER, UnreadableFile, "no fact in it", "facts"),
    "three columns": (
        "a\tr\tb\n", UnreadableFile, "no line of the first 1 has five or four columns", "facts:1",
    ),
    "no times": (
        "\nhead\trelation\ttail\na\tr\tb\n", UnreadableFile, "no column says when facts hold", "facts:2",
    ),
    "no times among many": (
        "head\trelation\ttail\ta\tb\tc\nx\tr\ty\t1\t2\t3\n", UnreadableFile,
        "no column says when facts hold", "facts:1",
    ),
    "a column without a name": (
        "head,relation,tail,,start\n", UnreadableFile, "column 4 has no name", "facts:1",
    ),
    "four among five": (
        "a\tr\tb\t1\t2\na\tr\tb\t1\n", MalformedLine, "4 columns where 5 are needed, split at tab", "facts:2",
    ),
    "five among four": (
        "a|r|b|1900\na|r|b|1900\na|r|b|1900|1901\n", MalformedLine,
        "5 columns where 4 are needed, split at vertical bar", "facts:3",
    ),
    "no tail": (
        "a\tr\tb\t1999\t\na\tr\t\t1999\t\n", MalformedLine, "the tail is empty", "facts:2",
    ),
    "no date": (
        HEADER + "a\tr\tb\t1999\tlater\n", MalformedLine, "'later' is not a date", "facts:2",
    ),
    "very long": (HEADER + f"a\tr\tb\t{'9' * 500}\t\n", MalformedLine, "'9999", "facts:2"),
    "another header": (
        "who\tdid\twhat\tfrom\tto\na\tr\tb\t1999\t\n", MalformedLine, "'from' is not a date", "facts:1",
    ),
    "NUL": (HEADER + "a\tr\0\tb\t1\t2\n", UnreadableFile, "a NUL character", "facts:2"),
    "not UTF-8": (
        HEADER.encode() + b"\xff\tr\tb\t1\t2\n", UnreadableFile, "not UTF-8 text", "facts:2",
    ),
    "broken gzip": (
        gzip.compress(HEADER.encode() * 99, mtime=0)[:-20],
        UnreadableFile, "its gzip data is damaged", "facts, after",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "kind", "what", "where"), BAD.values(), ids=BAD)
def test_what_is_refused(
    tmp_path: Path, content: str | bytes, kind: type[DataError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        read(tmp_path, content)
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith(where)
    assert caught.value.hint


def test_a_bad_date_says_what_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(MalformedLine) as caught:
        read(tmp_path, HEADER + "a\tr\tb\tsoon\t\n")
    assert caught.value.hint.startswith("a date is YYYY, YYYY-MM or YYYY-MM-DD, with ##")
    assert "skip_bad=N" in caught.value.hint


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no such file, gone"):
        items("temporal-kg", [File(tmp_path / "gone", "gone")])
    with pytest.raises(UnreadableFile, match="a folder, here"):
        items("temporal-kg", [File(tmp_path, "here")])


def test_bad_lines_are_skipped_and_listed(tmp_path: Path) -> None:
    options = ReadOptions(skip_bad=2)
    content = HEADER + "a\tr\tb\tnever\t\na\tr\tb\n\na\tr\tb\t1999\t\n"
    assert [fact.line for fact in read(tmp_path, content, options)] == [5]
    assert [bad.where for bad in options.bad] == ["facts:2", "facts:3"]
    with pytest.raises(UnreadableFile, match="no fact in it"):
        read(tmp_path, HEADER + "a\tr\tb\tnever\t\n", ReadOptions(skip_bad=2))


dates = st.one_of(
    st.integers(1, 2999).map(lambda year: f"{year:04}"),
    st.dates().map(lambda day: day.isoformat()),
    st.sampled_from(["", "####", "####-##-##", "19##", "1990-05-##", "-490-##-##", "12 May 1990"]),
)
names = st.text(
    st.characters(exclude_characters="\t\r\n\0\ufeff", exclude_categories=["Cs"]), min_size=1
).filter(lambda name: bool(name.strip()))


@settings(max_examples=60)
@given(st.lists(st.tuples(names, names, names, dates, dates), min_size=1))
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, input_facts: list[tuple[str, str, str, str, str]]
) -> None:
    assume(input_facts[0][0].strip().casefold() not in {"head", "subject", "source", "h"})
    content = "".join("\t".join(fact) + "\n" for fact in input_facts)
    result = read(tmp_path_factory.getbasetemp(), content)
    assert [(f.head, f.relation, f.tail) for f in result] == [fact[:3] for fact in input_facts]
    for fact, (*_, start, end) in zip(result, input_facts, strict=True):
        between = read_interval(start, end)
        if between is None:
            assert fact.held is None
        else:
            assert fact.held
            assert (fact.held.start, fact.held.end) == (between.start, between.end)
            date_texts = ["" if "####" in text else text for text in (start, end)]
            assert [fact.held.start_text, fact.held.end_text] == date_texts


def test_of_a_date_that_no_calendar_has_the_year_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    path.write_text("a\tr\tb\t1999-13-01\t2000\nc\tr\td\t307-13047-09\t978-##-##\n")
    options = ReadOptions()
    result = facts(items("temporal-kg", [File(path, "facts")], options))
    assert [fact.held for fact in result] == [
        ValidTime(19990101, 20001231, "1999-13-01", "2000"),
        ValidTime(3070101, 9781231, "307-13047-09", "978-##-##"),
    ]
    odd = options.remarks["an impossible date, of which only the year is stored"]
    assert odd.places == ["facts:1", "facts:2"]


@pytest.mark.packs
def test_yago11k(packs: Path) -> None:
    """Two of its 20,509 facts have a month that no calendar has, 13047 and 64: the year is kept."""
    options = ReadOptions()
    path = packs / "yago11k" / "kg.tsv.gz"
    result = facts(items("temporal-kg", [File(path, "yago")], options))
    assert len(result) == 20_509
    assert options.remarks["the end precedes the start"].times == 70
    assert options.remarks["an impossible date, of which only the year is stored"].times == 2
    assert sum(fact.held is not None and fact.held.end == OPEN for fact in result) == 8_997
    assert not any(fact.held is None for fact in result)
    assert len({name for fact in result for name in (fact.head, fact.tail)}) <= 10_623
