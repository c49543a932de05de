"""Loads by the API over the real database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.web import load_in_threads, open_client

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.server.loads import Loads, ServerLoad
from trustuqa_neo4j.server.options import ServerOptions
from trustuqa_neo4j.server.uploads import Uploads
from trustuqa_neo4j.wording import use_words_of

CSV = b"name,height\nAlder,12\nBirch,15\nCedar,40\n"
PLACE = "/api/v1/loads"


@pytest.fixture
def web(tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    load_in_threads(monkeypatch)
    with open_client(tuqa, tmp_path, allow_load=True, max_upload=100_000) as web:
        yield web


@pytest.fixture
def web_of_processes(tuqa: TrustUQA, tmp_path: Path) -> Iterator[TestClient]:
    """Reads each load in a process, as in use."""
    with open_client(tuqa, tmp_path, allow_load=True, max_upload=100_000) as web:
        yield web


def send(web: TestClient, *files: tuple[str, bytes], **fields: str) -> Any:
    return web.post(PLACE, files=[("file", file) for file in files], data=fields)


def await_end(web: TestClient, load: str) -> dict[str, Any]:
    """The last state of a load, from its stream of events."""
    response = web.get(f"{PLACE}/{load}", headers={"Accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    assert "event: load" in response.text
    state: dict[str, Any] = web.get(f"{PLACE}/{load}").json()
    return state


def test_a_file_is_loaded_and_asked(web_of_processes: TestClient, tmp_path: Path) -> None:
    web = web_of_processes
    response = send(web, ("trees.csv", CSV), dataset="trees")
    assert response.status_code == 202
    assert response.headers["location"] == f"{PLACE}/l1"
    state = await_end(web, "l1")
    assert (state["state"], state["problem"], state["report"]["facts"]) == ("finished", None, 6)
    body = {"question": "what is the height of the Birch?", "dataset": "trees"}
    answer = web.post("/api/v1/ask", json=body).json()
    assert answer["values"] == ["15"]
    fact = answer["evidence"][0]
    assert (fact["source"], fact["file"], fact["line"]) == ("trees.csv", "trees.csv", 3)
    assert Uploads(tmp_path / "uploads" / "x").find("trees", "trees.csv").read_bytes() == CSV
    assert (tmp_path / "uploads").stat().st_mode & 0o077 == 0
    assert [entry["id"] for entry in web.get(PLACE).json()] == ["l1"]


def test_a_preview_writes_nothing(web: TestClient, tuqa: TrustUQA, tmp_path: Path) -> None:
    response = send(web, ("trees.csv", CSV), preview="true")
    report = response.json()
    assert (response.status_code, report["dry_run"], report["facts"]) == (200, True, 6)
    columns = report["tables"][0]["columns"]
    assert [(column["name"], column["type"]) for column in columns] == [
        ("name", "text"), ("height", "number"),
    ]  # fmt: skip
    assert tuqa.datasets() == ()
    (workspace,) = (tmp_path / "uploads").glob(".new-*")
    assert [path for path in workspace.rglob("*") if path.is_dir()] == []


def test_columns_have_the_types_and_names_of_the_request(web: TestClient) -> None:
    options = {"types": '{"size": "text"}', "rename": '{"height": "size"}'}
    report = send(web, ("trees.csv", CSV), preview="true", **options).json()
    columns = report["tables"][0]["columns"]
    assert [(column["name"], column["type"]) for column in columns] == [
        ("name", "text"), ("size", "text"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("part", "text"),
    [("types", "height"), ("rename", '["height"]'), ("types", '{"height": 1}'), ("types", "{}}")],
)
def test_types_and_names_that_are_no_objects_are_refused(
    web: TestClient, part: str, text: str
) -> None:
    response = send(web, ("trees.csv", CSV), preview="true", **{part: text})
    assert (response.status_code, response.json()["title"]) == (400, "bad body")
    assert f"{part} is not a JSON object" in response.json()["detail"]


def test_an_existing_dataset_is_kept(web: TestClient) -> None:
    send(web, ("trees.csv", CSV), dataset="trees")
    await_end(web, "l1")
    send(web, ("other.csv", CSV), dataset="trees")
    state = await_end(web, "l2")
    assert (state["state"], state["problem"]["title"]) == ("failed", "dataset exists")
    send(web, ("other.csv", CSV), dataset="trees", mode="append")
    assert await_end(web, "l3")["report"]["total"] == 12


@pytest.mark.parametrize(
    ("files", "fields", "part"),
    [
        ([], {"dataset": "trees"}, "multipart/form-data"),
        ([("trees.csv", CSV)], {}, "no dataset"),
        ([("trees.csv", CSV)], {"dataset": "t", "mode": "merge"}, "there are new, append"),
        ([("trees.csv", CSV)], {"dataset": "t", "skip": "two"}, "number of lines"),
        ([("a.csv", CSV), ("a.csv", CSV)], {"dataset": "t"}, "two files are called"),
        ([("trees.csv", CSV)], {"preview": "true", "format": "tabel"}, "table"),
    ],
)
def test_bad_loads(
    web: TestClient,
    tmp_path: Path,
    files: list[tuple[str, bytes]],
    fields: dict[str, str],
    part: str,
) -> None:
    response = send(web, *files, **fields)
    assert response.status_code == 400
    assert part in response.text
    assert not list((tmp_path / "uploads").glob(".new-*/*/*"))


@pytest.mark.parametrize(
    ("field", "part"),
    [
        ({"formt": "table"}, "no part is called 'formt'"),
        ({"preview": "yes"}, "preview='yes' is neither true nor false"),
    ],
)
def test_a_misspelt_part_loads_nothing(
    web: TestClient, tuqa: TrustUQA, field: dict[str, str], part: str
) -> None:
    files = {"file": ("trees.csv", "name,height\nAlder,12\n")}
    problem = web.post("/api/v1/loads", files=files, data={"dataset": "trees", **field}).json()
    assert problem["status"] == 400
    assert part in problem["detail"]
    assert tuqa.datasets() == ()


def test_the_encoding_of_a_file_can_be_given(web: TestClient) -> None:
    # Nothing in it shows the encoding.
    file = ("trees.csv", "name,height\nJeřabina,8\n".encode("cp1250"))
    right = send(web, file, preview="true", encoding="cp1250").json()
    assert right["tables"][0]["first_rows"] == [["Jeřabina", "8"]]
    wrong = send(web, file, preview="true", encoding="cp9999")
    assert (wrong.status_code, "no encoding 'cp9999'" in wrong.text) == (400, True)


def test_problems_name_fields_and_commands(web: TestClient) -> None:
    with use_words_of("serve"):
        hint = send(web, ("x.csv", b"a,b\n\x81,1\n"), preview="true", encoding="utf-8").json()[
            "hint"
        ]
    assert "encoding" in hint
    assert "=" not in hint
    assert "--" not in hint


def test_a_preview_minds_the_mode(web: TestClient) -> None:
    send(web, ("trees.csv", CSV), dataset="trees", skip_end="2")
    await_end(web, "l1")
    # What is added to a dataset is read with its options.
    for mode, rows in (("new", 3), ("append", 1)):
        other = ("other.csv", CSV)
        report = send(web, other, dataset="trees", preview="true", mode=mode).json()
        assert [table["rows"] for table in report["tables"]] == [rows]


def test_a_file_that_no_format_reads_fails_with_a_reason(web: TestClient, tuqa: TrustUQA) -> None:
    send(web, ("x.bin", b"\x00\x01\x02" * 99), dataset="x")
    state = await_end(web, "l1")
    assert state["state"] == "failed"
    assert state["problem"]["hint"]
    assert tuqa.datasets() == ()


def test_names_of_files_lead_nowhere(web: TestClient, tmp_path: Path) -> None:
    send(web, ("../../trees.csv", CSV), dataset="../trees")
    assert await_end(web, "l1")["state"] == "finished"
    assert [path.name for path in tmp_path.iterdir()] == ["uploads"]
    (stored,) = (tmp_path / "uploads").glob("[!.]*/*")
    assert stored.read_bytes() == CSV


def test_a_long_upload_is_refused(web: TestClient) -> None:
    response = send(web, ("trees.csv", CSV * 5_000), dataset="trees")
    assert (response.status_code, response.json()["title"]) == (413, "body too long")


def test_a_cancelled_load_leaves_nothing(
    web_of_processes: TestClient, tuqa: TrustUQA, tmp_path: Path
) -> None:
    web = web_of_processes
    rows = b"".join(b"%d,1\n" % number for number in range(10_000))
    for name in ("first", "second", "third"):
        send(web, (f"{name}.csv", b"name,height\n" + rows), dataset=name)
    # One that runs, and one that waits; the last one gets its turn.
    for load in ("l2", "l1"):
        assert web.delete(f"{PLACE}/{load}").status_code == 202
        state = await_end(web, load)
        assert (state["state"], state["problem"]["title"]) == ("cancelled", "cancelled")
    assert await_end(web, "l3")["state"] == "finished"
    assert [dataset.name for dataset in tuqa.datasets()] == ["third"]
    assert not list((tmp_path / "uploads").glob(".new-*/*/*"))
    assert web.get(f"{PLACE}/l7").json()["title"] == "unknown load"


def test_the_end_of_a_load_is_told_to_who_is_slow(tuqa: TrustUQA, tmp_path: Path) -> None:
    """It ends while the state before is on its way."""

    async def follow_slowly() -> list[str]:
        loads = Loads(tuqa, Uploads(tmp_path / "uploads" / "x"), ServerOptions("t", "a"))
        job = loads._jobs["l1"] = ServerLoad("l1", "trees", ("trees.csv",))
        states = []
        async for state in loads.follow("l1"):
            states.append(state.state)
            job.state = "cancelled"
        return states

    assert asyncio.run(follow_slowly()) == ["running", "cancelled"]
