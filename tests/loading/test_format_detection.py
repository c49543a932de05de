"""The format of files, folders and addresses whose format is not given."""

from __future__ import annotations

import bz2
import gzip
import io
import sqlite3
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from trustuqa_neo4j.errors import (
    MissingFile,
    TrustUQAError,
    UnknownFormat,
    UnreadableFile,
    UsageError,
)
from trustuqa_neo4j.loading.fact_columns import count_title_lines
from trustuqa_neo4j.loading.file_beginning import SAMPLE_SIZE
from trustuqa_neo4j.loading.format_detection import (
    add_format_hint,
    check_formats,
    choose_loader,
    detect_formats,
    find_format,
)
from trustuqa_neo4j.loading.formats import File, ReadOptions, find_loader, get_loader, list_loaders
from trustuqa_neo4j.model.facts import Fact

EXAMPLE = Path(__file__).parents[2] / "docs" / "example"
SAMPLES = Path(__file__).parents[1] / "samples"


def zip_of(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "a,b\n1,2\n")
    return content.getvalue()


WORKBOOK = ("[Content_Types].xml", "xl/workbook.xml")


def tar_of(name: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = 8
        archive.addfile(member, io.BytesIO(b"a,b\n1,2\n"))
    return content.getvalue()


TURTLE = b"@prefix : <http://x/> .\n:a :b :c .\n"
TRIPLE = b"<http://a> <http://b> <http://c> .\n"
MAPPING = b"@prefix rr: <http://www.w3.org/ns/r2rml#> .\n"
RDF_XML = (
    b'<?xml version="1.0"?>\n'
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF>'
)
FACTS = b"Alien\tdirected by\tScott\nAlien\tyear\t1979\nDune\tyear\t2021\n"
TIMES = b"NASA\tled by\tWebb\t1961-02-14\t1968-10-07\nNASA\tled by\tPaine\t1969\t####\n"
TABLE = b"name,category,price\nAlien,film,3\nDune,book,4\nHeat,film,5\n"
PACKED_FACTS = gzip.compress(b"Kismet|directed_by|Dieterle\nKismet|written_by|Knoblock\n" * 4_000)

FILES: dict[str, tuple[bytes, str, str]] = {
    # Tables.
    "films.csv": (b"a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n", "table", "CSV, comma, 7 columns"),
    "three.csv": (TABLE, "table", "CSV, comma, 3 columns"),
    "de.csv": (b"k;v\nx;1,5\ny;2,5\n", "table", "CSV, semicolon, 2 columns"),
    "facts;.csv": (FACTS.replace(b"\t", b";"), "table", "CSV, semicolon, 3 columns"),
    "one.csv": (b"name\nAlien\nDune\n", "table", "CSV, 1 column"),
    "m.tsv": (b"a\tb, c\n1\t2, 3\n", "table", "TSV, tab, 2 columns"),
    "m.psv": (b"a|b\n1|2\n", "table", "CSV, vertical bar, 2 columns"),
    "packed.csv.gz": (gzip.compress(TABLE), "table", "CSV, comma, 3 columns"),
    "bom.csv": (b"\xef\xbb\xbf" + TABLE, "table", "CSV, comma, 3 columns"),
    "latin.csv": ("name,größe\nA,1\nB,2\n".encode("latin-1"), "table", "CSV, comma, 2 columns"),
    "utf16.csv": ("a,b\n1,2\n".encode("utf-16"), "table", "CSV, comma, 2 columns"),
    "quoted.csv": (b'a,b\n"1,\n2",3\n"x ""y""",4\n', "table", "CSV, comma, 2 columns"),
    "no suffix": (b"a,b\n1,2\n3,4\n", "table", "CSV, comma, 2 columns"),
    "export.dat": (b"a|b|c|d\n1|2|3|4\n", "table", "CSV, vertical bar, 4 columns"),
    "medals.xlsx": (zip_of(*WORKBOOK), "table", "Excel workbook"),
    "workbook": (zip_of(*WORKBOOK), "table", "Excel workbook"),
    "sheet.ods": (zip_of("mimetype", "content.xml"), "table", "OpenDocument workbook"),
    "text.xls": (b"a\tb\n1\t2\n", "table", "TSV, tab, 2 columns"),
    "m.parquet": (b"PAR1\x15\x04", "table", "Parquet"),
    "tables.zip": (zip_of("a.csv"), "table", "archive of tables"),
    "tables.tar": (tar_of("a.csv"), "table", "archive of tables"),
    "tables.tar.gz": (gzip.compress(tar_of("a.csv")), "table", "archive of tables"),
    "tables.tar.bz2": (bz2.compress(tar_of("a.csv")), "table", "archive of tables"),
    # Facts.
    "facts.tsv": (FACTS, "kg", "head, relation, tail; tab"),
    "facts.txt": (FACTS, "kg", "head, relation, tail; tab"),
    "facts.csv": (FACTS.replace(b"\t", b","), "kg", "head, relation, tail; comma"),
    "kb.txt": (FACTS.replace(b"\t", b"|"), "kg", "head, relation, tail; vertical bar"),
    "kb.txt.gz": (PACKED_FACTS, "kg", "head, relation, tail; vertical bar"),
    "header.csv": (b"Subject,Predicate,Object\na,r,b\n", "kg", "head, relation, tail; comma"),
    "more.tsv": (b"head\trelation\ttail\tsaid by\na\tr\tb\tc\n", "kg", "head, relation, tail; tab"),
    "times.tsv": (TIMES, "temporal-kg", "head, relation, tail, time; tab"),
    "year.tsv": (
        b"a\tr\tb\t1969\na\tr\tc\t1970\n", "temporal-kg", "head, relation, tail, time; tab",
    ),
    "jobs.csv": (
        b"person,relation,company,start,end\nBob,works at,ACME,,2010\n",
        "temporal-kg", "head, relation, tail, time; comma",
    ),
    "since.csv": (
        b"source,relation,target,since\na,r,b,1969\n", "temporal-kg", "head, relation, tail, time; comma",
    ),
    # RDF.
    "sites.ttl": (TURTLE, "rdf", "Turtle"),
    "sites.ttl.gz": (gzip.compress(TURTLE), "rdf", "Turtle"),
    "sites.nt": (b"<http://a> <http://b> <http://c> .\n", "rdf", "N-Triples"),
    "sites.owl": (RDF_XML, "rdf", "RDF/XML"),
    "sites.xml": (RDF_XML, "rdf", "RDF/XML"),
    "sites.jsonld": (b'{"@id": "http://x"}', "rdf", "JSON-LD"),
    "map.ttl": (MAPPING, "r2rml", "R2RML mapping"),
    "turtle.txt": (b"# Sites.\n" + TURTLE, "rdf", "Turtle"),
    "sparql.txt": (b"PREFIX : <http://x/>\n:a :b :c .\n", "rdf", "Turtle"),
    "subject.txt": (b"<http://a> <http://b> <http://c> ;\n  <http://d> 1 .\n", "rdf", "Turtle"),
    "triples": (b"<http://a> <http://b> \"c . <d>\"@en . # e\n_:x <http://b> _:y .\n", "rdf", "N-Triples"),
    "triples.txt.gz": (gzip.compress(TRIPLE * 9_000), "rdf", "N-Triples"),
    "quads.txt": (TRIPLE + b"<http://a> <http://b> \"1\" <http://g> .\n", "rdf", "N-Quads"),
    "graphs.txt": (b"@prefix : <http://x/> .\n:g { :a :b :c . }\n", "rdf", "TriG"),
    "owl.txt": (RDF_XML, "rdf", "RDF/XML"),
    # Names in angle brackets, without dots at the end, are columns.
    "yago.tsv": (
        b"<A>\t<born in>\t<B>\n<C>\t<born in>\t<D>\n<E>\t<made by>\t<F>\n",
        "kg", "head, relation, tail; tab",
    ),
    # JSON.
    "moon.json": (b'{"a": [1, 2]}', "json", "JSON"),
    "moons.json": (b'[\n {"a": 1},\n {"a": 2}\n]', "json", "JSON"),
    "moon.jsonl": (b'{"a": 1}\n', "json", "JSON lines"),
    "moon.ndjson.gz": (gzip.compress(b'{"a": 1}\n'), "json", "JSON lines"),
    "moon.txt": (b'{"a": 1}\n{"a": 2}\n', "json", "JSON lines"),
    # Databases.
    "duck.duckdb": (b"\0" * 8 + b"DUCK" + b"\0" * 50, "sql", "DuckDB"),
    "moon.ddl": (b"CREATE TABLE craft (id int)", "sql", "table definitions"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files(tmp_path: Path, name: str) -> None:
    content, expected, description = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    (detected,) = detect_formats([str(path)])
    assert (detected.format, detected.description) == (expected, description)
    # A copy of a stream has the content alone.
    if expected in ("table", "kg", "temporal-kg", "rdf") and "1 column" not in description:
        if description == "JSON-LD":  # JSON without its name
            expected = "json"
        (stream,) = detect_formats([File(path, "stdin")])
        assert stream.format == expected


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "shop"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    (detected,) = detect_formats([str(path)])
    assert (detected.format, detected.description) == ("sql", "SQLite")


@pytest.mark.parametrize(
    ("name", "alternative"),
    [
        ("films.csv", ""),
        ("three.csv", ""),
        ("header.csv", ""),
        ("since.csv", ""),
        ("facts.tsv", "table"),
        ("times.tsv", "table"),
        ("kb.txt.gz", "table"),
    ],
)
def test_alternatives(tmp_path: Path, name: str, alternative: str) -> None:
    (tmp_path / name).write_bytes(FILES[name][0])
    (detected,) = detect_formats([str(tmp_path / name)])
    assert (detected.alternative, detected.is_sure) == (alternative, not alternative)
    hint = f"; to load it as {alternative}: tuqa-load {alternative} {tmp_path / name}"
    assert str(detected).endswith(hint if alternative else ")")


@pytest.mark.parametrize(
    ("content", "alternative"),
    [
        (b"a\tr\tb\n", "kg"),
        (b"Alien\tdirected by\tScott\nDune\tyear\t2021\n", "kg"),
        (b"a\tr\tb\t1969\n", "temporal-kg"),
        (b"name,category,place\nAlien,film,here\nDune,book,there\n", "kg"),
        (b"name,category,place\n" + b"Alien,film,here\n" * 30, ""),
    ],
)
def test_a_table_in_doubt(tmp_path: Path, content: bytes, alternative: str) -> None:
    (tmp_path / "f.csv").write_bytes(content)
    (detected,) = detect_formats([str(tmp_path / "f.csv")])
    assert (detected.format, detected.alternative) == ("table", alternative)


REFUSED: dict[str, tuple[bytes, type[TrustUQAError], str]] = {
    "empty.csv": (b"", UnreadableFile, "the file is empty"),
    "blank.csv": (b"\n \n", UnreadableFile, "only blank lines"),
    "paper.pdf": (b"%PDF-1.7\n", UnreadableFile, "PDF, which is not read"),
    "letter.docx": (zip_of("word/document.xml"), UnreadableFile, "a text document, which is not"),
    "picture.png": (b"\x89PNG\r\n", UnreadableFile, "a picture, which is not read"),
    "page.html": (b"<!DOCTYPE html><html>", UnreadableFile, "HTML or XML, which is not read"),
    "plain.xml": (b"<root/>", UnreadableFile, "HTML or XML, which is not read"),
    "random.bin": (bytes(range(256)) * 9, UnreadableFile, "neither text nor a known kind of file"),
    "prose.txt": (b"One, two.\nThree.\nFour, five, six.\n", UnknownFormat, "neither its name nor"),
    "prose": (b"Just a line\n", UnknownFormat, "neither its name nor its lines show the format"),
    "mapping.txt": (MAPPING, UnknownFormat, "an R2RML mapping in a file whose name does not"),
    "text.db": (b"a,b\n1,2\n", UnreadableFile, "the file does not begin like SQLite or DuckDB"),
    "shop.db.gz": (gzip.compress(b"SQLite format 3\0"), UnreadableFile, "a packed SQLite file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_without_a_format(tmp_path: Path, name: str) -> None:
    content, kind, what = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(kind) as caught:
        detect_formats([str(tmp_path / name)])
    assert caught.value.what.startswith(what)
    assert caught.value.where == str(tmp_path / name)
    assert caught.value.hint


def test_a_missing_file() -> None:
    with pytest.raises(MissingFile, match=r"no such file, none\.csv"):
        detect_formats(["none.csv"])


def test_only_the_beginning_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    path.write_bytes(b"a,b\n" * SAMPLE_SIZE + b"\0\0\0 and more, and more")
    (detected,) = detect_formats([str(path)])
    assert detected.description == "CSV, comma, 2 columns"
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 10_000_000))
    (detected,) = detect_formats([str(path)])
    assert detected.description == "CSV, comma, 2 columns"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("bolt://user:secret@host:7687/films?labels=Film", "neo4j"),
        ("neo4j+s://host", "neo4j"),
        ("postgresql+pg8000://user:secret@host/shop", "sql"),
        ("sqlite:///shop.db", "sql"),
    ],
)
def test_addresses(address: str, expected: str) -> None:
    (detected,) = detect_formats([address])
    assert detected.format == expected
    assert "secret" not in str(detected)


def test_web_addresses() -> None:
    with pytest.raises(UnknownFormat, match="https:// is not an address of a database"):
        detect_formats(["https://example.org/films.csv"])


# Several files.


def choose(folder: Path, **contents: bytes) -> tuple[str, list[str]]:
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    loader, detected = choose_loader(detect_formats([str(folder / name) for name in contents]))
    return loader.name, [source.format for source in detected]


def test_files_of_one_format(tmp_path: Path) -> None:
    files = {"a.csv": TABLE, "b.xlsx": zip_of(*WORKBOOK)}
    assert choose(tmp_path, **files) == ("table", ["table", "table"])


def test_files_of_a_mapping(tmp_path: Path) -> None:
    files = {"m.ttl": FILES["map.ttl"][0], "a.csv": TABLE, "b.owl": RDF_XML, "c.csv": FACTS}
    assert choose(tmp_path, **files) == ("r2rml", ["r2rml"] * 4)


def test_files_of_a_database(tmp_path: Path) -> None:
    files = {"m.ddl": FILES["moon.ddl"][0], "a.csv": TABLE}
    assert choose(tmp_path, **files) == ("sql", ["sql", "sql"])


def test_a_short_file_follows_the_others(tmp_path: Path) -> None:
    files = {"a.tsv": FACTS, "b.tsv": b"a\tr\tb\n"}
    assert choose(tmp_path, **files) == ("kg", ["kg", "kg"])


@pytest.mark.parametrize(
    "files",
    [
        {"a.csv": TABLE, "b.tsv": FACTS},
        {"a.csv": TABLE, "b.json": b'{"a": 1}'},
        {"a.ttl": TURTLE, "b.tsv": FACTS},
    ],
    ids=" ".join,
)
def test_files_of_different_formats_are_one_load(tmp_path: Path, files: dict[str, bytes]) -> None:
    formats = [choose(tmp_path, **{name: content})[0] for name, content in files.items()]
    assert choose(tmp_path, **files) == ("mixed", formats)


@pytest.mark.parametrize(
    "files",
    [
        {"m.ttl": FILES["map.ttl"][0], "b.json": b'{"a": 1}'},
        {"m.ddl": b"CREATE TABLE a (b TEXT);", "b.json": b'{"a": 1}'},
    ],
    ids=" ".join,
)
def test_inputs_of_different_formats(tmp_path: Path, files: dict[str, bytes]) -> None:
    with pytest.raises(UsageError, match="inputs of different formats") as caught:
        choose(tmp_path, **files)
    assert all(str(tmp_path / name) in caught.value.where for name in files)
    assert 'mode="append"' in caught.value.hint


# Folders.


def folder_format(folder: Path, **contents: bytes) -> str:
    for name, content in contents.items():
        path = folder / "sub" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    (detected,) = detect_formats([str(folder)])
    return f"{detected.format}, {detected.description}"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.csv": TABLE, "b.xlsx": zip_of(*WORKBOOK), "README": b"x"}, "table, folder of 2 files"),
        ({"a.json": b"{}", ".hidden.csv": TABLE}, "json, folder of 1 file"),
        ({"a.ttl": TURTLE, "b.owl": RDF_XML}, "rdf, folder of 2 files"),
        ({"m.ttl": FILES["map.ttl"][0], "a.csv": TABLE}, "r2rml, folder of 2 files"),
        ({"m.sql": b"CREATE TABLE t (a)", "a.csv": TABLE}, "sql, folder of 2 files"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_folders(tmp_path: Path, files: dict[str, bytes], expected: str) -> None:
    assert folder_format(tmp_path, **files) == expected


def test_the_folder_of_an_export(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": "trustuqa-neo4j export", "version": 3}')
    assert folder_format(tmp_path, **{"a.csv": TABLE}) == "exported, folder"
    (tmp_path / "manifest.json").write_text('{"name": "a web page"}')
    with pytest.raises(UsageError, match="formats"):
        folder_format(tmp_path)


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"README": b"x"}, "no file of a known format in this folder"),
        ({"a.csv": TABLE, "b.csv": TABLE, "c.json": b"{}"}, "a folder whose files are of several"),
        ({"a.tsv": FACTS, "b.tsv": FACTS}, "a folder of kg files"),
    ],
    ids=["none", "several", "facts"],
)
def test_folders_without_a_format(tmp_path: Path, files: dict[str, bytes], what: str) -> None:
    with pytest.raises(TrustUQAError, match=what) as caught:
        folder_format(tmp_path, **files)
    assert caught.value.hint.startswith("give the f")


# Words.


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("csv", "table"), ("CSV", "table"), ("tsv", "table"), ("excel", "table"), ("xlsx", "table"),
        ("xls", "table"), ("ods", "table"), ("parquet", "table"), ("ttl", "rdf"), ("turtle", "rdf"),
        ("nt", "rdf"), ("owl", "rdf"), ("jsonl", "json"), ("sqlite", "sql"), ("duckdb", "sql"),
        ("postgresql", "sql"), ("triples", "kg"), ("temporal", "temporal-kg"), ("bolt", "neo4j"),
    ],
)  # fmt: skip
def test_names_that_people_type(alias: str, name: str) -> None:
    assert get_loader(alias).name == name


def test_names_are_unique() -> None:
    loaders = list_loaders().values()
    names = [name for loader in loaders for name in (loader.name, *loader.aliases)]
    suffixes = [suffix for loader in loaders for suffix in loader.suffixes]
    assert len(names) == len(set(names))
    assert len(suffixes) == len(set(suffixes))


def test_unknown_names() -> None:
    assert find_loader("something") is None
    with pytest.raises(UnknownFormat, match=r"no format 'exel'\nhint: did you mean excel\?"):
        get_loader("exel")
    with pytest.raises(UnknownFormat) as caught:
        get_loader("something")
    assert "temporal-kg" in caught.value.hint
    assert "metaqa" not in caught.value.hint


def test_the_first_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("json").write_text("{}")
    Path("films").write_text("a,b\n1,2\n")
    assert find_format("json", is_last=False) == get_loader("json")
    assert find_format("json", is_last=True) is None
    assert find_format("kg", is_last=True) == get_loader("kg")
    for path in ("films", "none.csv", "a/b", "-", "bolt://host"):
        assert find_format(path, is_last=False) is None
        assert find_format(path, is_last=True) is None
    with pytest.raises(UnknownFormat, match="no format 'tabel'\nhint: did you mean table"):
        find_format("tabel", is_last=False)
    with pytest.raises(UnknownFormat, match="'flims' is neither a file nor a format"):
        find_format("flims", is_last=True)


# A wrong format.


@pytest.mark.parametrize(
    ("given", "file", "right"),
    [
        ("rdf", EXAMPLE / "missions.csv", "table (CSV, comma, 6 columns)"),
        ("kg", EXAMPLE / "missions.csv", "table (CSV, comma, 6 columns)"),
        ("table", EXAMPLE / "demonstrations.jsonl", "json (JSON lines)"),
        ("json", EXAMPLE / "apollo.owl", "rdf (RDF/XML)"),
        ("neo4j", EXAMPLE / "missions.csv", "table (CSV, comma, 6 columns)"),
        ("sql", EXAMPLE / "sites.ttl", "rdf (Turtle)"),
        ("metaqa", EXAMPLE / "missions.csv", "table (CSV, comma, 6 columns)"),
        ("webqsp", EXAMPLE / "missions.csv", "table (CSV, comma, 6 columns)"),
        ("r2rml", EXAMPLE / "sites.ttl", "rdf (Turtle)"),
        ("r2rml", EXAMPLE / "missions.csv", "table (CSV, comma, 6 columns)"),
        # The format reads such files.
        ("sql", EXAMPLE / "missions.csv", ""),
        ("kg", EXAMPLE / "sites.ttl", ""),
        ("table", SAMPLES / "films.tsv", ""),
        ("metaqa", SAMPLES / "films.tsv", ""),
    ],
)
def test_hints_at_the_right_format(given: str, file: Path, right: str) -> None:
    error = UnreadableFile("wrong", where=f"{file}:3", hint="correct it")
    files = [File(file, str(file))]
    hinted = add_format_hint(error, get_loader(given), files, "utf-8-sig")
    if right:
        name = right.partition(" ")[0]
        assert hinted.hint == f"it looks like {right}: tuqa-load {name} {file}; correct it"
        assert (type(hinted), hinted.what, hinted.where) == (type(error), "wrong", f"{file}:3")
    else:
        assert hinted is error


def test_a_hint_in_doubt() -> None:
    path = SAMPLES / "films.tsv"
    error = UnreadableFile("wrong", where=f"{path}:3", hint="correct it")
    hinted = add_format_hint(error, get_loader("json"), [File(path, str(path))], "utf-8")
    assert hinted.hint.startswith("it may be kg (head, relation, tail; tab): tuqa-load kg ")


CONTENTS: dict[str, tuple[bytes, str, set[str]]] = {
    # The content of a file, its description, and the formats that read it.
    "a.txt": (TURTLE, "rdf (Turtle)", {"rdf", "kg", "webqsp", "mixed"}),
    "table.csv": (TRIPLE, "rdf (N-Triples)", {"rdf", "kg", "webqsp", "mixed"}),
    "map.txt": (MAPPING, "r2rml (R2RML mapping)", {"r2rml", "rdf", "kg"}),
    "b.txt": (b'{"a": [1, 2]}', "json (JSON)", {"json", "wikisql", "exported", "mixed"}),
    "book.txt": (zip_of(*WORKBOOK), "table (Excel workbook)", {
        "table", "sql", "wikisql", "wikitablequestions", "exported", "mixed",
    }),
    "shop.txt": (b"SQLite format 3\0", "sql (SQLite)", {"sql", "mixed"}),
    # Text whose format depends on how one looks at it is not refused.
    "c.txt": (TABLE, "", {*list_loaders()}),
    "d.txt": (FACTS, "", {*list_loaders()}),
    "wiki.txt": (b"[[Berlin]]\tcapital of\t[[Germany]]\n", "", {*list_loaders()}),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_content_that_a_format_does_not_read(tmp_path: Path, name: str) -> None:
    content, description, readers = CONTENTS[name]
    (tmp_path / name).write_bytes(content)
    file = File(tmp_path / name, name)
    for loader in list_loaders().values():
        if loader.name in readers:
            check_formats(loader, [file], "auto")
            continue
        with pytest.raises(UnreadableFile) as caught:
            check_formats(loader, [file], "auto")
        right = description.partition(" ")[0]
        assert (
            caught.value.what == f"its content is {description}, which {loader.name} does not read"
        )
        assert (caught.value.where, caught.value.hint) == (name, f"tuqa-load {right} {name}")


def test_companions_of_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "map.ttl").write_bytes(MAPPING)
    (tmp_path / "terms.ttl").write_bytes(TURTLE)
    mapping, terms = (File(tmp_path / name, name) for name in ("map.ttl", "terms.ttl"))
    check_formats(get_loader("r2rml"), [terms, mapping], "auto")
    with pytest.raises(UnreadableFile, match=r"which r2rml does not read, terms\.ttl"):
        check_formats(get_loader("r2rml"), [terms], "auto")


def test_formats_of_another_package_are_not_doubted(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_bytes(TURTLE)
    loader = replace(get_loader("table"), reads=None)
    check_formats(loader, [File(tmp_path / "a.ttl", "a.ttl")], "auto")


@pytest.mark.parametrize("title", ["# exported, 2024\n", "Report of films\n\n", "# a\n# b\n"])
@pytest.mark.parametrize("name", ["three.csv", "facts.tsv", "facts.txt", "jobs.csv", "times.tsv"])
def test_title_lines_do_not_hide_the_shape(tmp_path: Path, name: str, title: str) -> None:
    content, expected, description = FILES[name]
    content += content.splitlines(keepends=True)[-1]  # one row is no table
    (tmp_path / name).write_bytes(title.encode() + content)
    (detected,) = detect_formats([str(tmp_path / name)])
    assert (detected.format, detected.description) == (expected, description)
    options = ReadOptions()
    items = list(get_loader(expected).read([File(tmp_path / name, name)], options))
    first = next(item for item in items if isinstance(item, Fact))
    assert first.line == len(title.splitlines()) + (2 if name in ("three.csv", "jobs.csv") else 1)
    assert any("lines above the" in note for note in options.remarks)


def test_a_first_line_with_all_columns_is_no_title(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_bytes(b"#,name,price\n1,a,2\n2,b,3\n")
    (detected,) = detect_formats([str(tmp_path / "n.csv")])
    assert detected.format == "table"
    assert count_title_lines(["#,name,price\n", "1,a,2\n", "2,b,3\n"]) == 0
    assert count_title_lines(["a\n", "b\n", "c\n"]) == 0
    assert count_title_lines(["\n", "a,b,c\n", "d,e,f\n"]) == 0
    two_lines = ['"Alien\n', ' 3",film,3\n', "Dune,book,4\n", "Heat,film,5\n"]
    assert count_title_lines(two_lines) == 0
