"""Uploaded files that would take the memory, the time or the disk of the server, and names that mislead."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import duckdb
import httpx
import psutil
import pytest
from starlette.testclient import TestClient
from support.tables import xlsx, zipped
from support.web import BEARER, load_in_threads, open_client, serve_process

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import DataError, TrustUQAError
from trustuqa_neo4j.loading.formats import File
from trustuqa_neo4j.server import security
from trustuqa_neo4j.server.load_process import run_load
from trustuqa_neo4j.server.options import GIGABYTE, MEGABYTE, ReadLimits

LIMITS = ReadLimits(2 * GIGABYTE, 300.0, 5 * MEGABYTE)
CSV = b"name,height\nAlder,12\nBirch,15\nCedar,40\n"
LOADS = "/api/v1/loads"


@pytest.fixture
def web(tuqa: TrustUQA, tmp_path: Path) -> Iterator[TestClient]:
    with open_client(tuqa, tmp_path, allow_load=True, preview=LIMITS, load=LIMITS) as web:
        yield web


def preview(web: TestClient, name: str, content: bytes, **fields: str) -> httpx.Response:
    return web.post(LOADS, files={"file": (name, content)}, data={"preview": "true", **fields})


def pack_tar(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        entry = tarfile.TarInfo("rows.csv")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def make_workbook(row: int, column: str) -> bytes:
    """A workbook of one sheet, whose last cell may be far from the others."""
    near = zipfile.ZipFile(io.BytesIO(xlsx({"S": [["name", "height"], ["Alder", 1.0]]})))
    members = {name: near.read(name) for name in near.namelist()}
    sheet = members["xl/worksheets/1.xml"]
    last = f'r="{column}{row}"'.encode()
    moved = sheet.replace(b'<row r="2">', b'<row r="%d">' % row).replace(b'r="B2"', last)
    assert last in moved
    return zipped({**members, "xl/worksheets/1.xml": moved})


ROWS = b"name,height\n" + b"tree,1\n" * 1_000_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv.gz", gzip.compress(ROWS)),
        ("line.csv.gz", gzip.compress(b"x" * 8_000_000)),
        ("rows.zip", zipped({"a.csv": ROWS, "b.csv": ROWS})),
        ("rows.tar.xz", pack_tar(ROWS)),
        ("archives.zip", zipped({"rows.zip": zipped({"a.csv": ROWS}), "b.csv": ROWS})),
    ],
    # Archives have the time at which they were made, and workers have to agree on the names of tests.
    ids=["lines", "line", "zip", "tar", "archives"],
)
def test_what_unpacks_to_too_much_is_refused(web: TestClient, name: str, content: bytes) -> None:
    assert len(content) < 50_000
    response = preview(web, name, content)
    assert response.status_code == 422
    assert "more than 5 MB when it is unpacked" in response.json()["detail"]
    assert preview(web, "trees.csv", CSV).status_code == 200


def run_alone(
    server: Settings, folder: Path, limits: ReadLimits, *files: File
) -> TrustUQAError | None:
    """The error of a preview with ``limits``; None if it ends well."""
    place = folder / "copies"
    place.mkdir()
    options = {"dataset": "x", "dry_run": True}
    before = {*psutil.Process().children()}  # such as a database of these tests
    try:
        asyncio.run(run_load(server, None, files, place, limits, options))
    except TrustUQAError as error:
        return error
    finally:
        assert not place.exists()
        assert {*psutil.Process().children()} <= before
    return None


def test_time_and_memory_of_a_preview_are_bounded(server: Settings, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(ROWS)
    file = File(path, "rows.csv")
    error = run_alone(server, tmp_path, ReadLimits(2 * GIGABYTE, 0.1, GIGABYTE), file)
    assert isinstance(error, DataError)
    assert "cannot be read within 0.1 seconds" in error.what
    assert "tuqa-load" in error.hint


def test_a_cell_far_away_takes_no_more_memory(server: Settings, tmp_path: Path) -> None:
    limits = ReadLimits(700 * MEGABYTE, 300.0, GIGABYTE)
    errors = []
    for row, column in ((2, "B"), (1_048_576, "Z")):
        path = tmp_path / f"{column}.xlsx"
        path.write_bytes(make_workbook(row, column))
        errors.append(run_alone(server, tmp_path, limits, File(path, path.name)))
    assert errors[0] is None
    assert isinstance(errors[1], DataError)
    assert "need more than 700 MB of memory" in errors[1].what


def test_statements_of_a_mapping_take_no_more_memory(web: TestClient, tmp_path: Path) -> None:
    mapping = """
        @prefix rr: <http://www.w3.org/ns/r2rml#> .
        <#m> rr:logicalTable [ rr:sqlQuery "SELECT id, repeat('x', 4000000000) AS text FROM t" ] ;
            rr:subjectMap [ rr:template "http://example.org/{id}" ] ;
            rr:predicateObjectMap [
                rr:predicate <http://example.org/text> ; rr:objectMap [ rr:column "text" ] ] .
    """
    path = tmp_path / "data.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1)")
    files = [("map.ttl", mapping.encode()), ("data.duckdb", path.read_bytes())]
    options = {"preview": "true", "format": "r2rml"}
    response = web.post(LOADS, files=[("file", file) for file in files], data=options)
    assert response.status_code == 422
    assert "emory" in response.json()["detail"]
    small = mapping.replace("4000000000", "4").encode()
    files[0] = ("map.ttl", small)
    response = web.post(LOADS, files=[("file", file) for file in files], data=options)
    assert response.json()["facts"] == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"encoding": "base64"}, {"encoding": "rot13"}, {"encoding": "x" * 5_000},
        {"header": "9" * 5_000}, {"header": "1-" + "9" * 5_000}, {"skip": "9" * 5_000},
        {"skip": "٣" * 20}, {"skip_end": "9" * 5_000}, {"source": "x" * 5_000},
    ],
)  # fmt: skip
def test_odd_options_are_refused(
    web: TestClient, monkeypatch: pytest.MonkeyPatch, fields: dict[str, str]
) -> None:
    load_in_threads(monkeypatch)
    response = preview(web, "trees.csv", CSV, **fields)
    assert response.status_code == 400, response.text


def test_names_of_files_and_datasets_never_collide(
    web: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_in_threads(monkeypatch)
    names = {"a/b": "木" * 200 + ".csv", "a_b": "木" * 200 + "/a.csv", "a": "x" * 300 + ".csv"}
    for number, (dataset, name) in enumerate(names.items(), start=1):
        content = CSV.replace(b"Birch", f"Birch {number}".encode())
        web.post(LOADS, files={"file": (name, content)}, data={"dataset": dataset})
        web.get(f"{LOADS}/l{number}", headers={"Accept": "text/event-stream"})
        state = web.get(f"{LOADS}/l{number}").json()
        assert (state["state"], state["problem"]) == ("finished", None)
    for number, dataset in enumerate(names, start=1):
        form = {"query": f"get_information(head_entity='Birch {number}')", "dataset": dataset}
        place = web.post("/run", data=form).headers["location"]
        assert f"Birch {number}," in web.get(f"{place}/facts/1/lines").text


def test_a_load_is_finished_though_its_files_cannot_be_kept(
    web: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_in_threads(monkeypatch)
    from trustuqa_neo4j.server.uploads import Uploads

    # A file in the place of the folder.
    Uploads(tmp_path / "uploads" / "x").find("trees", "trees.csv").parent.write_text("x")
    web.post(LOADS, files={"file": ("trees.csv", CSV)}, data={"dataset": "trees"})
    web.get(f"{LOADS}/l1", headers={"Accept": "text/event-stream"})
    state: dict[str, Any] = web.get(f"{LOADS}/l1").json()
    assert (state["state"], state["problem"], state["report"]["facts"]) == ("finished", None, 6)
    assert "cannot show lines" in state["messages"][-1]


LONG = b"name,height\n" + b"".join(b"tree %d,%d\n" % (n, n) for n in range(1_500_000))


def readers(process: Any) -> list[psutil.Process]:
    return psutil.Process(process.pid).children()


def test_a_preview_ends_with_its_client_and_with_the_server(
    server: Settings, tmp_path: Path
) -> None:
    with serve_process(server, tmp_path, "--allow-load") as (process, address):
        pause = Event()
        # The client goes away while the file is read.
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{address}{LOADS}", files={"file": ("long.csv", LONG)}, headers=BEARER,
                data={"preview": "true"}, timeout=httpx.Timeout(120, read=1),
            )  # fmt: skip
        while readers(process):
            pause.wait(0.05)
        # The server ends while a load runs.
        job = httpx.post(
            f"{address}{LOADS}", files={"file": ("long.csv", LONG)}, headers=BEARER,
            data={"dataset": "long"}, timeout=120,
        ).json()  # fmt: skip
        while not (children := readers(process)):
            pause.wait(0.05)
        assert job["state"] == "running"
        process.terminate()
        assert process.wait(120) == 0
        assert not any(child.is_running() for child in children)
        assert not list((tmp_path / "uploads").glob(".new-*"))


def test_a_reader_ends_with_a_server_that_was_killed(server: Settings, tmp_path: Path) -> None:
    with serve_process(server, tmp_path, "--allow-load") as (process, address):
        httpx.post(
            f"{address}{LOADS}", files={"file": ("long.csv", LONG)}, headers=BEARER,
            data={"dataset": "long"}, timeout=120,
        )  # fmt: skip
        while not (children := readers(process)):
            Event().wait(0.05)
        process.kill()
        _, alive = psutil.wait_procs(children, timeout=120)
        assert alive == []
    with TrustUQA.connect(server) as tuqa:
        names = {dataset.name for dataset in tuqa.datasets() if not dataset.complete}
        if "long" in names:
            tuqa.drop("long")


def test_what_a_process_reports_is_what_a_load_reports(
    server: Settings, tuqa: TrustUQA, tmp_path: Path
) -> None:
    path = tmp_path / "trees.csv"
    path.write_bytes(CSV + b"Date,10 m\nElm\n")
    file = File(path, "trees.csv")
    options = {"dataset": "trees", "dry_run": True, "skip_bad": 5}
    expected = tuqa.load(file, **options).to_dict()
    place = tmp_path / "copies"
    place.mkdir()
    report = asyncio.run(run_load(server, None, [file], place, LIMITS, options)).to_dict()
    assert json.dumps(report | {"seconds": 0}) == json.dumps(expected | {"seconds": 0})
    # Errors keep their class.
    error = run_alone(server, tmp_path, LIMITS, File(tmp_path / "none.csv", "none.csv"))
    with pytest.raises(type(error or Exception())) as caught:
        tuqa.load(File(tmp_path / "none.csv", "none.csv"), dataset="x", dry_run=True)
    assert str(caught.value) == str(error)


def test_uploads_at_a_time_are_bounded(web: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "_MAX_UPLOADS", 0)
    response = preview(web, "trees.csv", CSV)
    assert (response.status_code, response.json()["title"]) == (503, "server busy")
    assert web.get(LOADS).status_code == 200
