"""``kg`` files: what is read from them, and what is refused and how."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustuqa_neo4j.errors import DataError, MalformedLine, MissingFile, UnreadableFile
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.model.facts import Fact, Item, RelationDeclared, SourceStart, ValidTime
from trustuqa_neo4j.values import OPEN

Read = list[tuple[str, str, str, int]]


def facts_of(path: Path, content: bytes | str, options: ReadOptions | None = None) -> list[Fact]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    part, *facts = get_loader("kg").read([File(path, "facts")], options or ReadOptions())
    assert part == SourceStart("facts", "facts", "kg")
    return [fact for fact in facts if isinstance(fact, Fact)]


def read(path: Path, content: bytes | str, options: ReadOptions | None = None) -> Read:
    facts = facts_of(path, content, options)
    assert not any(fact.held or fact.qualifiers for fact in facts)
    return [(fact.head, fact.relation, fact.tail, fact.line) for fact in facts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "facts"


AB = [("a", "r", "b", 1), ("c", "r", "d", 2)]


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        pytest.param("a\tr\tb\nc\tr\td\n", AB, id="tab"),
        pytest.param("a|r|b\nc|r|d\n", AB, id="bar"),
        pytest.param("a,r,b\nc,r,d\n", AB, id="comma"),
        pytest.param('"a","r","b"\n"c","r",d\n', AB, id="quoted"),
        pytest.param("a\tr\tb\nc\tr\td", AB, id="no line end at the end"),
        pytest.param("a\tr\tb\r\nc\tr\td\r\n", AB, id="CRLF"),
        pytest.param("a,r,b\r\nc,r,d\r\n", AB, id="CRLF in CSV"),
        pytest.param("a\tr\tb\rc\tr\td\r", AB, id="CR"),
        pytest.param("\ufeffa\tr\tb\nc\tr\td\n", AB, id="BOM"),
        pytest.param('\ufeff"a",r,b\nc,r,d\n', AB, id="BOM before a quote"),
        pytest.param("\ufeffhead\trelation\ttail\na\tr\tb\n", [("a", "r", "b", 2)], id="BOM, header"),
        pytest.param("Head, Relation ,TAIL\na,r,b\n", [("a", "r", "b", 2)], id="header"),
        pytest.param("subject|predicate|object\na|r|b\n", [("a", "r", "b", 2)], id="other header"),
        pytest.param("\n\nhead\trelation\ttail\na\tr\tb\n", [("a", "r", "b", 4)], id="late header"),
        pytest.param(
            "a\tr\tb\nhead\trelation\ttail\n",
            [("a", "r", "b", 1), ("head", "relation", "tail", 2)],
            id="a header that is none",
        ),
        pytest.param("\na\tr\tb\n \t \n\nc\tr\td\n\n", [("a", "r", "b", 2), ("c", "r", "d", 5)], id="blank"),
        pytest.param("\na,r,b\n  \n\nc,r,d\n\n", [("a", "r", "b", 2), ("c", "r", "d", 5)], id="blank, CSV"),
        pytest.param("\n" * 200 + "a\tr\tb\n", [("a", "r", "b", 201)], id="200 blank lines"),
        pytest.param('"Hi" 5\' \\n\tr\t"b\n', [('"Hi" 5\' \\n', "r", '"b', 1)], id="quotes are quotes"),
        pytest.param('"Hi"|r|\\\n', [('"Hi"', "r", "\\", 1)], id="quotes between bars"),
        pytest.param(
            '"Say ""Hi"", he said",r,"b, Jr."\n',
            [('Say "Hi", he said', "r", "b, Jr.", 1)],
            id="quotes in CSV",
        ),
        pytest.param(
            'a,r,"b\n\nb"\n"c\nc",r,d\ne,r,f\n',
            [("a", "r", "b\n\nb", 1), ("c\nc", "r", "d", 4), ("e", "r", "f", 6)],
            id="line breaks in CSV",
        ),
        pytest.param(
            '"a\n",r,"c\nd"\n' * 2,
            [("a\n", "r", "c\nd", 1), ("a\n", "r", "c\nd", 4)],
            id="no line is a record",
        ),
        pytest.param('a,r,"b\r\nc"\r\n', [("a", "r", "b\r\nc", 1)], id="CRLF in quotes"),
        pytest.param("a|b, c\tr\td, e, f\n", [("a|b, c", "r", "d, e, f", 1)], id="other delimiters in names"),
        pytest.param(" a \tr\t b\n", [(" a ", "r", " b", 1)], id="spaces are kept"),
        pytest.param("Amélie\t導演\tЖан-Пьер Жёне\n", [("Amélie", "導演", "Жан-Пьер Жёне", 1)], id="letters"),
        pytest.param(
            "a\u2028b\u2029\x85\x0b\x0c\x1c\tr\tc\nd\tr\te\n",
            [("a\u2028b\u2029\x85\x0b\x0c\x1c", "r", "c", 1), ("d", "r", "e", 2)],
            id="only line ends end lines",
        ),
        pytest.param("\u200fשלום\u202e\tr\t👩‍🚀\n", [("\u200fשלום\u202e", "r", "👩‍🚀", 1)], id="marks"),
        pytest.param("é\tr\te\u0301\n", [("é", "r", "e\u0301", 1)], id="no form is changed"),
        pytest.param("null\tNaN\t0\n", [("null", "NaN", "0", 1)], id="text is text"),
    ],
)  # fmt: skip
def test_what_is_read(path: Path, content: str, facts: Read) -> None:
    assert read(path, content) == facts
    assert read(path, gzip.compress(content.encode(), mtime=0)) == facts


@pytest.mark.parametrize("by", "\t|,")
@pytest.mark.parametrize("header", ["head,relation,tail", "Subject, Predicate ,object", "h,r,t"])
def test_columns_behind_the_third_are_qualifiers(path: Path, by: str, header: str) -> None:
    """An empty cell says nothing; a value is kept as written."""
    content = f"\n{header}, place ,said by\na,r,b,Rome, c\n\nc,r,d,  ,e\n".replace(",", by)
    assert facts_of(path, content) == [
        Fact("a", "r", "b", 3, None, (("place", "Rome"), ("said by", " c"))),
        Fact("c", "r", "d", 5, None, (("said by", "e"),)),
    ]


def test_a_header_makes_all_lines_as_wide(path: Path) -> None:
    content = "head\trelation\ttail\tplace\na\tr\tb\nc\tr\td\te\tf\n\tr\td\te\ng\tr\th\t\n"
    options = ReadOptions(skip_bad=3)
    assert facts_of(path, content, options) == [Fact("g", "r", "h", 5)]
    assert [(bad.where, bad.what) for bad in options.bad] == [
        ("facts:2", "3 columns where 4 are needed, split at tab"),
        ("facts:3", "5 columns where 4 are needed, split at tab"),
        ("facts:4", "the head is empty"),
    ]


@pytest.mark.parametrize("quoted", ['"place, or two"', '"said ""by"""', '"two\nlines"'])
def test_qualifiers_in_quotes(path: Path, quoted: str) -> None:
    (plain,) = next(csv.reader(io.StringIO(quoted)))
    content = f"head,relation,tail,note\na,r,b,{quoted}\n"
    assert facts_of(path, content) == [Fact("a", "r", "b", 2, None, (("note", plain),))]


@pytest.mark.parametrize(
    "name",
    [
        "start", "End", "start time", "END_TIME", "start-date", "starttime", "since", "until", "from",
        "to", "valid from", "valid until", "time", "date", "Year", "point in time", "end  year",
    ],
)  # fmt: skip
def test_a_time_is_a_qualifier_with_a_note(path: Path, name: str) -> None:
    """``kg`` has no valid times, and says which format has them."""
    options = ReadOptions()
    content = f"\nhead\trelation\ttail\tplace\t{name}\na\tr\tb\tc\t1999\n"
    (fact,) = facts_of(path, content, options)
    assert fact.qualifiers == (("place", "c"), (name, "1999"))
    (remark,) = options.remarks
    assert remark.startswith(f"the column {name!r} is a qualifier of its facts")
    assert remark.endswith("load the file as temporal-kg")
    assert options.remarks[remark].places == ["facts:2"]


@pytest.mark.parametrize("name", ["place", "starter", "weekend", "time zone", "updated", "timely"])
def test_what_only_looks_like_a_time(path: Path, name: str) -> None:
    content = f"head\trelation\ttail\t{name}\na\tr\tb\tc\n"
    assert facts_of(path, content)[0].qualifiers == ((name, "c"),)


def test_a_column_without_a_name(path: Path) -> None:
    with pytest.raises(
        UnreadableFile, match="column 4 has no name, facts:1\nhint: name all columns"
    ):
        facts_of(path, "head,relation,tail,,x\na,r,b,c,d\n")


def test_several_files_are_several_parts(tmp_path: Path) -> None:
    files = [File(tmp_path / name, name) for name in ("one", "two")]
    for file in files:
        file.path.write_text("a\tr\tb\n")
    fact = Fact("a", "r", "b", 1)
    parts = [SourceStart(name, name, "kg") for name in ("one", "two")]
    assert list(get_loader("kg").read(files, ReadOptions())) == [parts[0], fact, parts[1], fact]
    named = [SourceStart("said", name, "kg") for name in ("one", "two")]
    result = list(get_loader("kg").read(files, ReadOptions(source="said")))
    assert result == [named[0], fact, named[1], fact]


def test_gzip_may_have_several_members(path: Path) -> None:
    assert (
        read(path, gzip.compress(b"a\tr\tb\nc\t", mtime=0) + gzip.compress(b"r\td\n", mtime=0))
        == AB
    )


def test_a_fact_knows_its_condition_triples() -> None:
    first, second = Fact("h", "r", "t", 1).triples()
    assert first == ("h", "r", ())
    assert second == ("r", "t", ("h",))


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("latin-1", "latin-1"), ("cp1252", "cp1252"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16-le"),
        ("utf-8", "utf-8-sig"), ("utf-8-sig", "utf-8"), ("utf-8", "utf-8"), ("utf-32", "utf-32"),
        ("utf-7", "utf-7"),
    ],
)  # fmt: skip
def test_encodings(path: Path, encoding: str, written: str) -> None:
    text = "Amélie\tr\tÆon\nb\tr\tc\n"
    facts = [("Amélie", "r", "Æon", 1), ("b", "r", "c", 2)]
    assert read(path, text.encode(written), ReadOptions(encoding=encoding)) == facts
    assert (
        read(path, gzip.compress(text.encode(written), mtime=0), ReadOptions(encoding=encoding))
        == facts
    )


def test_a_byte_order_mark_is_no_part_of_a_name(path: Path) -> None:
    content = "\ufeffa\tr\tb\n".encode("utf-16-le")
    assert read(path, content, ReadOptions(encoding="utf-16-le")) == AB[:1]


MANY = b"a\tr\tb\n" * 5000

BAD: dict[str, tuple[bytes, type[DataError], str, str]] = {
    "empty": (b"", UnreadableFile, "the file is empty", "facts"),
    "blank lines only": (b"\n \n\r\n", UnreadableFile, "only blank lines", "facts"),
    "header only": (b"head\trelation\ttail\n", UnreadableFile, "no fact in it", "facts"),
    "one column": (b"a\n", UnreadableFile, "no line of the first 1 has three columns", "facts:1"),
    "two columns": (
        b"a\tb\n", UnreadableFile, "no line of the first 1 has three columns", "facts:1",
    ),
    "four columns": (
        b"a|b|c|d\n\n", UnreadableFile, "no line of the first 1 has three columns", "facts:1",
    ),
    "two among three": (
        b"a\tr\tb\n\nc\td\n", MalformedLine, "2 columns where 3 are needed, split at tab", "facts:3",
    ),
    "four among three": (
        b"a|r|b\nc|d|e|f\n", MalformedLine, "4 columns where 3 are needed, split at vertical bar", "facts:2",
    ),
    "one among three": (
        b'a,r,b\n"c\nd",r,e\nf\n', MalformedLine, "1 column where 3 are needed, split at comma", "facts:4",
    ),
    "no head": (b"a\tr\tb\n\tr\tb\n", MalformedLine, "the head is empty", "facts:2"),
    "blank relation": (b"a\tr\tb\na\t \tb\n", MalformedLine, "the relation is empty", "facts:2"),
    "no tail": (b"a,r,b\na,r,\n", MalformedLine, "the tail is empty", "facts:2"),
    "only commas": (b"a,r,b\n,,\n", MalformedLine, "the head is empty", "facts:2"),
    "open quote": (
        b'a,r,b\n"c,r,d\ne,r,f\n', MalformedLine, "a quote in this record is never closed", "facts:2",
    ),
    "text after a quote": (
        b'a,r,b\n"c"d,r,e\n', MalformedLine,
        "something other than a comma follows a closing quote", "facts:2",
    ),
    "NUL": (
        b"a\tr\tb\nc\tr\0\td\n", UnreadableFile,
        "a NUL character: this is not text in this encoding", "facts:2",
    ),
    "binary": (
        b"\x89PNG\r\n\x1a\n\0\0", UnreadableFile, "not UTF-8 text (invalid start byte)", "facts:1",
    ),
    "not UTF-8": (
        b"a\tr\tb\nMa\xb3gosia\tr\tb\n", UnreadableFile,
        "not UTF-8 text (invalid start byte)", "facts:2",
    ),
    "not UTF-8 far down": (
        MANY + b"\xff\tr\tb\n" + MANY, UnreadableFile,
        "not UTF-8 text (invalid start byte)", "facts:5001",
    ),
    "cut in a character": (
        b"a\tr\tb\na\tr\t\xc3", UnreadableFile, "not UTF-8 text (unexpected end of data)", "facts:2",
    ),
    "half a surrogate pair": (
        b"a\tr\tb\na\tr\t\xed\xa0\x80\n", UnreadableFile,
        "not UTF-8 text (invalid continuation byte)", "facts:2",
    ),
    "truncated gzip": (
        gzip.compress(MANY, mtime=0)[:-30], UnreadableFile,
        "its gzip data is damaged (Compressed file ended before the end-of-stream marker was reached)",
        "facts, after line ",
    ),
    "gzip of nothing": (gzip.compress(b"", mtime=0), UnreadableFile, "only blank lines", "facts"),
    "gzip header alone": (
        b"\x1f\x8b\x08", UnreadableFile,
        "its gzip data is damaged (Compressed file ended before the end-of-stream marker was reached)",
        "facts, after line 0",
    ),
    "gzip, wrong checksum": (
        gzip.compress(b"a\tr\tb\n", mtime=0)[:-8] + bytes(8), UnreadableFile,
        "its gzip data is damaged (CRC check failed ", "facts, after line 1",
    ),
    "gzip, wrong bits": (
        gzip.compress(MANY, mtime=0)[:12] + b"\xff" * 40, UnreadableFile,
        "its gzip data is damaged (Error -3 while decompressing data", "facts, after line 0",
    ),
    "gzip, then something else": (
        gzip.compress(b"a\tr\tb\n", mtime=0) + b"more", UnreadableFile,
        "its gzip data is damaged (Not a gzipped file ", "facts, after line 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "kind", "what", "where"), BAD.values(), ids=BAD)
def test_what_is_refused(
    path: Path, content: bytes, kind: type[DataError], what: str, where: str
) -> None:
    with pytest.raises(kind) as caught:
        read(path, content)
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith(where)
    assert caught.value.hint
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("encoding", ["utf-16", "ascii", "shift_jis", "undefined", "idna"])
def test_text_in_another_encoding(path: Path, encoding: str) -> None:
    with pytest.raises(UnreadableFile, match=rf"not {encoding.upper()} text \(.*facts:[12]\b"):
        read(path, b"a\tr\tb\nc\tr\t\xff\xff\n", ReadOptions(encoding=encoding))


@pytest.mark.parametrize("encoding", ["utf-7", "unicode_escape"])
def test_encodings_that_can_say_half_a_surrogate_pair(path: Path, encoding: str) -> None:
    message = "\ud800".encode(encoding, "surrogatepass")
    with pytest.raises(UnreadableFile, match=r"surrogates not allowed.*facts:2\b"):
        read(path, b"a\tr\tb\na\tr\t" + message + b"\n", ReadOptions(encoding=encoding))


def test_a_line_end_cut_by_a_block_is_counted_once(path: Path) -> None:
    for shift in range(4):
        content = b"x" * shift + b"a\tr\tb\r\n" * 5000 + b"\xff\n"
        with pytest.raises(UnreadableFile, match=r"facts:5001\b"):
            read(path, content)


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(MissingFile) as caught:
        list(get_loader("kg").read([File(path, "facts")], ReadOptions()))
    assert str(caught.value) == "no such file, facts\nhint: check the path"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda p: p.mkdir(), "a folder"),
        (lambda p: p.symlink_to(p), "Too many levels of symbolic links"),
        (lambda p: p.symlink_to("/proc/self/mem"), "Input/output error"),
    ],
    ids=["folder", "loop", "error while reading"],
)
def test_files_that_cannot_be_read(path: Path, make, what: str) -> None:  # type: ignore[no-untyped-def]
    make(path)
    with pytest.raises(UnreadableFile) as caught:
        list(get_loader("kg").read([File(path, "facts")], ReadOptions()))
    assert (caught.value.what, caught.value.where) == (what, "facts")


def test_bad_lines_are_skipped_and_listed(path: Path) -> None:
    content = "a\tr\tb\nx\n\tr\tb\nc\tr\td\n"
    options = ReadOptions(skip_bad=2)
    assert read(path, content, options) == [("a", "r", "b", 1), ("c", "r", "d", 4)]
    assert [(bad.where, bad.what) for bad in options.bad] == [
        ("facts:2", "1 column where 3 are needed, split at tab"),
        ("facts:3", "the head is empty"),
    ]
    with pytest.raises(MalformedLine, match=r"the head is empty, facts:3\nhint: .*skip_bad=N"):
        read(path, content, ReadOptions(skip_bad=1))


def test_csv_goes_on_behind_a_bad_record(path: Path) -> None:
    options = ReadOptions(skip_bad=2)
    content = 'a,r,b\n"c"d,r,e\nf,r,g\nh\ni,r,"j\nk"\n'
    assert [fact[0] for fact in read(path, content, options)] == ["a", "f", "i"]
    assert [bad.where for bad in options.bad] == ["facts:2", "facts:4"]


def test_nothing_but_bad_lines_is_no_dataset(path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no fact in it"):
        read(path, "head\trelation\ttail\n\tr\tb\n", ReadOptions(skip_bad=9))


@pytest.mark.parametrize("delimiter", "\t|,")
def test_very_long_names(path: Path, delimiter: str) -> None:
    name = "x" * 1_000_000
    assert read(path, f"{name}{delimiter}r{delimiter}b\n") == [(name, "r", "b", 1)]


def test_progress_is_told_in_bytes(path: Path) -> None:
    positions: list[int] = []

    def progress(file: File, done: int) -> None:
        assert file == File(path, "facts")
        positions.append(done)

    read(path, MANY, ReadOptions(progress=progress))
    assert positions == sorted(positions)
    assert len(positions) == 5
    assert positions[-1] <= len(MANY)


HEADERS = {"head", "subject", "source", "h"}


def names(leave_out: str) -> st.SearchStrategy[str]:
    letters = st.characters(exclude_characters=leave_out + "\0\ufeff", exclude_categories=["Cs"])
    return st.text(letters, min_size=1).filter(lambda name: bool(name.strip()))


def records(leave_out: str) -> st.SearchStrategy[list[tuple[str, str, str]]]:
    record = st.tuples(names(leave_out), names(leave_out), names(leave_out))
    return st.lists(
        record.filter(lambda fact: fact[0].strip().casefold() not in HEADERS), min_size=1
    )


@given(records("\t\r\n"))
def test_whatever_tabs_separate_is_read_as_written(
    tmp_path_factory: pytest.TempPathFactory, facts: list[tuple[str, str, str]]
) -> None:
    content = "".join("\t".join(fact) + "\n" for fact in facts)
    result = read(tmp_path_factory.getbasetemp() / "tabs", content)
    assert result == [(*fact, number) for number, fact in enumerate(facts, 1)]


@given(records("\t|"))
def test_whatever_the_csv_module_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, facts: list[tuple[str, str, str]]
) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows(facts)
    result = read(tmp_path_factory.getbasetemp() / "csv", written.getvalue())
    assert [fact[:3] for fact in result] == facts


def read_items(path: Path, content: str, options: ReadOptions | None = None) -> list[Item]:
    path.write_text(content)
    return [*get_loader("kg").read([File(path, "facts")], options or ReadOptions())]


def test_columns_of_times_are_qualifiers(path: Path) -> None:
    (fact,) = facts_of(path, "head\trelation\ttail\tYear\tsince\nA\tplays\tB\t2001\t1999\n")
    assert fact.qualifiers == (("Year", "2001"), ("since", "1999"))


def test_condition_triples(path: Path) -> None:
    text = """
    (Einstein, Born In, [])
    (date, 14 March 1879, [Einstein, Born In, Ulm])
    (Born In, Ulm, [Einstein])
    (start time, 1933, [Einstein, lived in, "Princeton, NJ"])
    (Person, Has Parents, [])
    """
    assert read_items(path, text) == [
        SourceStart("facts", "facts", "temporal-kg"),
        RelationDeclared("Has Parents", domains=(("Person",),)),
        Fact("Einstein", "Born In", "Ulm", 4, None, (("date", "14 March 1879"),)),
        Fact("Einstein", "lived in", "Princeton, NJ", 5, ValidTime(19330101, OPEN, "1933")),
    ]


@pytest.mark.parametrize("line", ["(b, c)", "(b, c, [d, e])", "b, c, []", "(x, y, z, [])"])
def test_bad_condition_triples(path: Path, line: str) -> None:
    with pytest.raises(MalformedLine, match="not a condition triple, facts:2"):
        read_items(path, f"(a, r, [])\n{line}\n")
    with pytest.raises(MalformedLine, match="facts:1"):
        read_items(path, "(start time, soon, [a, r, b])")


def test_years_of_condition_triples_are_ordered_as_times(path: Path) -> None:
    text = "".join(f"(time, {year}, [Rolf, jarl of, Rouen])\n" for year in (1000, 999, 1001))
    (fact,) = (item for item in read_items(path, text) if isinstance(item, Fact))
    assert fact.held == ValidTime(9990101, 10011231, "999", "1001")


def test_a_reversed_interval_of_condition_triples_is_noted(path: Path) -> None:
    options = ReadOptions()
    text = "".join(
        f"({term}, [Cleveland, president of, USA])\n"
        for term in ("start time, 1889", "end time, 1885")
    )
    (fact,) = (item for item in read_items(path, text, options) if isinstance(item, Fact))
    assert fact.held == ValidTime(18850101, 18891231, "1889", "1885")
    assert options.remarks["the end precedes the start"].places == ["facts:1"]


def test_two_terms_of_one_fact_are_not_merged(path: Path) -> None:
    terms = ("start time, 1885", "end time, 1889", "start time, 1893", "end time, 1897")
    text = "".join(f"({term}, [Cleveland, president of, USA])\n" for term in terms)
    with pytest.raises(MalformedLine, match="several start or end times, facts:1"):
        read_items(path, text)
