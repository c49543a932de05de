"""The views of data without a script, over the real database: datasets, previews, loads, schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from threading import Event

import httpx
import pytest
from starlette.testclient import TestClient
from support.pages import check_page
from support.samples import FILMS
from support.tables import xlsx
from support.web import load_in_threads, open_client

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.errors import Cancelled
from trustuqa_neo4j.loading.formats import Remark
from trustuqa_neo4j.loading.request import LoadReport, Progress
from trustuqa_neo4j.loading.sample import list_sample_files
from trustuqa_neo4j.server import data_views, loads
from trustuqa_neo4j.server.uploads import Uploads
from trustuqa_neo4j.wording import LoadChange

CSV = b"name,height\nAlder,12 m\nBirch,15 m\nCedar,40 m\n"
HOSTILE = b'<b>name,height\n<script>alert(1)</script>,1\n"&quot;",2\n'
# A line of a graph that has no tail.
LAME = "Alien\tstarring\tWeaver\nAliens\tstarring\n" + "".join(
    f"Film {number}\tstarring\tActor {number}\n" for number in range(9)
)


@pytest.fixture
def web(tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    load_in_threads(monkeypatch)
    with open_client(tuqa, tmp_path, allow_load=True, max_upload=100_000) as web:
        web.follow_redirects = True
        yield web


def preview(web: TestClient, *files: tuple[str, bytes], **fields: str) -> httpx.Response:
    return web.post("/data/preview", files=[("file", file) for file in files], data=fields)


def start(web: TestClient, dataset: str, mode: str = "new", number: int = 1) -> httpx.Response:
    fields = {"preview": f"p{number}", "dataset": dataset, "mode": mode}
    return web.post("/data/load", data=fields)


def await_end(web: TestClient, load: str) -> str:
    """The stream of states of a load, which ends with it."""
    response = web.get(f"/data/loads/{load}/progress")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert 'id="phase"' in response.text
    return response.text


def load(web: TestClient, name: str = "trees.csv", content: bytes = CSV) -> str:
    """Load a file by its preview, as a dataset named after it."""
    dataset = name.partition(".")[0]
    preview(web, (name, content))
    start(web, dataset)
    await_end(web, "l1")
    return dataset


def uploaded(tmp_path: Path) -> list[str]:
    """The folders of uploaded files: those of datasets, and those of previews."""
    uploads = tmp_path / "uploads"
    folders = (*uploads.glob("[!.]*"), *uploads.glob(".new-*/*"))
    return [path.name for path in folders if path.is_dir()]


def test_datasets_are_listed_with_links(films: TrustUQA, web: TestClient) -> None:
    text = web.get("/data").text
    assert '<a href="/data/films">' in text
    assert 'href="/?dataset=films"' in text
    (dataset,) = films.datasets()
    assert f"{dataset.facts:,}</td>" in text
    assert 'type="file"' in text


def test_a_sample_is_loaded_by_one_click(web: TestClient, tuqa: TrustUQA) -> None:
    page = web.get("/data").text
    check_page(page)
    assert 'action="/data/sample"' in page
    response = web.post("/data/sample")
    assert response.url.path == "/data/loads/l3"
    await_end(web, "l3")
    assert {source.name for source in tuqa.datasets()[0].sources} == {
        "apollo.tsv", "missions.csv", "service.tsv",
    }  # fmt: skip
    assert tuqa.ask("Who flew on Apollo 15?", "apollo").outcome == "answered"
    # The files of the package stay, and the lines of a fact are theirs.
    assert all(file.path.is_file() for _, file in list_sample_files())
    query = {
        "query": "get_information(head_entity='Apollo 15', relation='crew')",
        "dataset": "apollo",
    }
    lines = web.get(f"{web.post('/run', data=query).url.path}/facts/1/lines").text
    assert "<mark><bdi>Apollo 15" in lines
    again = web.post("/data/sample")
    assert again.url.query == b"dataset=apollo"
    assert "/data/sample" not in web.get("/data").text


def test_without_data_the_list_says_so(web: TestClient) -> None:
    assert "There is no data yet." in web.get("/data").text


def test_an_unfinished_dataset_is_marked_and_has_no_links(web: TestClient, tuqa: TrustUQA) -> None:
    def stop_at_index(phase: str, _total: int, _unit: str = "bytes", /) -> None:
        if phase == "index":
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        tuqa.load("kg", FILMS, dataset="half", progress=Progress(stop_at_index))
    text = web.get("/data").text
    assert "half" in text
    assert "not complete" in text
    assert 'href="/data/half"' not in text
    assert web.get("/data/half").status_code == 409


def test_a_preview_tells_how_a_table_is_read(
    web: TestClient, tuqa: TrustUQA, tmp_path: Path
) -> None:
    response = preview(web, ("trees.csv", CSV))
    assert response.status_code == 200
    assert response.url.path == "/data/previews/p1"
    assert [hop.status_code for hop in response.history] == [303]
    for part in ("3 rows, 2\ncolumns", "text, unique", "number, m, unique", "12 to 40", "Birch"):
        assert part in response.text
    assert 'name="dataset" value="trees"' in response.text
    assert tuqa.datasets() == ()
    assert len(uploaded(tmp_path)) == 1


def test_a_preview_is_loaded(web: TestClient, tuqa: TrustUQA, tmp_path: Path) -> None:
    preview(web, ("trees.csv", CSV))
    response = start(web, "trees")
    assert response.url.path == "/data/loads/l1"
    stream = await_end(web, "l1")
    assert "The data is loaded." in stream
    report = web.get("/data/loads/l1").text
    assert "trees: 6 facts from 1 source" in report
    assert 'href="/?dataset=trees"' in report
    assert "hx-get" not in report.partition('id="load"')[2]
    assert tuqa.schema("trees").facts == 6
    assert len(uploaded(tmp_path)) == 1
    assert Uploads(tmp_path / "uploads" / "x").find("trees", "trees.csv").read_bytes() == CSV
    assert "trees</bdi></a> finished" in web.get("/data").text
    # The preview has ended.
    assert start(web, "again").status_code == 404


def test_missing_words_dates_and_parts_of_cells_are_put_right(
    web: TestClient, tuqa: TrustUQA
) -> None:
    table = b"film,tags,seen\nAlien,space|horror,03/04/2005\nAliens,unknown,05/06/2005\n"
    preview(web, ("films.csv", table), dataset="seen")
    form = {"dataset": "seen", "null": "unknown, n/a", "dates": "dmy", "split-1": "|"}
    page = web.post("/data/previews/p1", data=form).text
    assert "dmy" in page
    assert 'name="split-1" value="|"' in page
    assert '<option value="dmy" selected>' in page
    assert web.post("/data/previews/p1", data={**form, "dates": "soon"}).status_code == 400
    start(web, "seen")
    await_end(web, "l1")
    query = "get_information(relation='{}', tail_entity='{}', key='film')"
    assert tuqa.run(query.format("tags", "horror"), "seen").values == ("Alien",)
    assert tuqa.run(query.format("seen", "3 April 2005"), "seen").values == ("Alien",)
    assert tuqa.run(query.format("tags", "unknown"), "seen").outcome != "answered"


def test_sheets_of_a_workbook_are_chosen(web: TestClient) -> None:
    sheets = {year: [["town", f"rain {year}"], ["Bergen", 3]] for year in ("2023", "2024")}
    preview(web, ("rain.xlsx", xlsx(sheets)), dataset="rain")
    page = web.post("/data/previews/p1", data={"dataset": "rain", "sheets": "2024"}).text
    assert "rain 2024" in page
    assert "rain 2023" not in page


def test_options_of_a_preview_are_those_of_the_load(web: TestClient, tuqa: TrustUQA) -> None:
    text = preview(web, ("trees.csv", b"Trees\n\n" + CSV), skip="3", dataset="trees").text
    assert "2 rows" in text
    form = {"header": "3", "dataset": "trees"}
    assert "2 rows" in web.post("/data/previews/p1", data={**form, "skip_end": "1"}).text
    response = web.post("/data/previews/p1", data=form)
    assert "3 rows" in response.text
    assert 'name="header" value="3"' in response.text
    start(web, "trees")
    await_end(web, "l1")
    assert [relation.name for relation in tuqa.schema("trees").relations] == ["name", "height"]


def test_columns_of_a_preview_get_other_types_and_names(web: TestClient, tuqa: TrustUQA) -> None:
    page = preview(web, ("zips.csv", b"Zip,Town\n10115,Berlin\n20095,Hamburg\n")).text
    assert page.count('<span class="reading">number') == 1
    form = {"dataset": "zips", "name-0": "Code", "type-0": "text", "name-1": "Town", "type-1": ""}
    page = web.post("/data/previews/p1", data=form).text
    assert '<span class="reading">number' not in page
    assert "<option selected>text</option>" in page
    assert 'name="name-0" value="Code"' in page
    # Once more, with the other column too; two columns of one name are refused.
    form |= {"name-0": "Postcode", "name-1": "Place"}
    assert 'value="Postcode"' in web.post("/data/previews/p1", data=form).text
    start(web, "zips")
    await_end(web, "l1")
    assert [relation.name for relation in tuqa.schema("zips").relations] == ["Postcode", "Place"]
    query = "get_information(relation='Postcode', tail_entity>0)"
    assert tuqa.run(query, "zips").outcome != "answered"
    preview(web, ("zips.csv", b"Zip,Town\n10115,Berlin\n"))
    twice = web.post("/data/previews/p2", data={"name-0": "Place", "name-1": "Place"})
    assert twice.status_code == 400
    assert "two columns renamed to" in twice.text


def test_several_files_are_previewed_together(web: TestClient) -> None:
    text = preview(web, ("trees.csv", CSV), ("bushes.csv", CSV), dataset="plants").text
    assert "12 facts in 2" in text
    assert "trees.csv" in text
    assert "bushes.csv" in text
    assert text.count('name="name-0"') == 1  # a change is of the column in both


def test_refused_lines_are_shown_and_left_out(web: TestClient, tuqa: TrustUQA) -> None:
    text = preview(web, ("cast.tsv", LAME.encode()), format="kg").text
    assert "Lines that are left out" in text
    assert "cast.tsv:2" in text
    assert "Load without 1 line<" in text
    start(web, "cast")
    assert "cast.tsv:2" in await_end(web, "l1")
    assert tuqa.schema("cast").facts == 10


def test_names_and_cells_are_escaped(web: TestClient) -> None:
    name = "<script>.csv"
    pages = [preview(web, (name, HOSTILE)).text, start(web, "<script>").text]
    pages += [await_end(web, "l1"), web.get("/data/loads/l1").text, web.get("/data").text]
    schema = web.get("/data/%3Cscript%3E?search=%3Cscript%3E")
    assert schema.status_code == 200
    pages += [schema.text, web.get("/data/%3Cscript%3E?source=%3Cscript%3E.csv").text]
    for text in pages:
        assert "&lt;script&gt;" in text
        assert "<script>" not in text
        assert "<b>" not in text


def test_half_of_a_surrogate_pair_is_a_problem_of_the_file(web: TestClient) -> None:
    response = preview(web, ("odd.json", b'[{"name": "a\\ud800b", "size": 1}]'))
    assert response.status_code == 422
    assert "odd.json" in response.text


def test_a_dataset_with_a_slash_has_a_schema(web: TestClient) -> None:
    preview(web, ("trees.csv", CSV))
    start(web, "plants/trees")
    await_end(web, "l1")
    assert 'href="/data/plants/trees"' in web.get("/data").text
    assert "height" in web.get("/data/plants/trees").text


@pytest.mark.parametrize(
    ("files", "fields", "status", "part"),
    [
        ([], {}, 400, "no file was chosen"),
        ([("", b"")], {}, 400, "no file was chosen"),
        ([("x.bin", b"\x00\x01\x02" * 99)], {}, 422, "x.bin"),
        ([("trees.csv", CSV)], {"format": "tabel"}, 400, "table"),
        ([("trees.csv", CSV)], {"skip": "two"}, 400, "number of lines"),
        ([("trees.csv", CSV)], {"header": "x"}, 400, "give its line"),
        ([("trees.csv", CSV)], {"mode": "merge"}, 400, "there are new, append"),
        ([("a.csv", CSV), ("a.csv", CSV)], {}, 400, "two files are called"),
    ],
)
def test_bad_files_and_options_are_explained(
    web: TestClient,
    files: list[tuple[str, bytes]],
    fields: dict[str, str],
    status: int,
    part: str,
) -> None:
    response = preview(web, *files, **fields) if files else send_empty_form(web)
    assert response.status_code == status
    assert 'role="alert"' in response.text
    assert part in response.text
    assert "<html" in response.text


def send_empty_form(web: TestClient) -> httpx.Response:
    boundary = {"Content-Type": "multipart/form-data; boundary=b"}
    return web.post("/data/preview", content=b"--b--\r\n", headers=boundary)


def test_a_file_that_could_not_be_read_is_read_again(web: TestClient) -> None:
    first = preview(web, ("trees.txt", CSV), format="tabel")
    assert first.status_code == 400
    again = web.post("/data/previews/p1", data={"format": "table"})
    assert again.status_code == 200
    assert "3 rows" in again.text


def test_a_form_that_is_no_upload_is_refused(web: TestClient) -> None:
    response = web.post("/data/preview", data={"dataset": "trees"})
    assert response.status_code == 400
    assert "multipart/form-data" in response.text


def test_an_existing_dataset_is_kept_and_the_preview_too(web: TestClient) -> None:
    load(web)
    text = preview(web, ("more.csv", CSV), dataset="trees").text
    assert "there is a dataset of this name already" in text
    response = start(web, "trees", number=2)
    assert response.status_code == 409
    assert "there is a dataset" in response.text
    assert "Birch" in response.text
    start(web, "trees", "append", number=2)
    assert "now 12 facts" in await_end(web, "l2")


def test_a_preview_expires(
    web: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview(web, ("trees.csv", CSV))
    assert len(uploaded(tmp_path)) == 1
    monkeypatch.setattr(loads, "monotonic", lambda: float("inf"))
    response = web.get("/data/previews/p1")
    assert response.status_code == 404
    assert "kept for 30 minutes" in response.text
    assert uploaded(tmp_path) == []
    assert start(web, "trees").status_code == 404


def test_a_preview_makes_room_for_newer_ones(
    web: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loads, "_MAX_PREVIEWS", 2)
    for _ in range(3):
        preview(web, ("trees.csv", CSV))
    assert len(uploaded(tmp_path)) == 2
    assert web.get("/data/previews/p1").status_code == 404
    assert web.get("/data/previews/p3").status_code == 200


def test_previews_end_with_the_server(tuqa: TrustUQA, tmp_path: Path) -> None:
    with open_client(tuqa, tmp_path, allow_load=True) as web:
        web.follow_redirects = True
        preview(web, ("trees.csv", CSV))
        assert len(uploaded(tmp_path)) == 1
    assert uploaded(tmp_path) == []


def test_a_load_is_cancelled(tuqa: TrustUQA, tmp_path: Path) -> None:
    rows = "".join(f"tree {number},{number}\n" for number in range(250_000))
    with open_client(tuqa, tmp_path, allow_load=True) as web:
        web.follow_redirects = True
        form = {"file": ("long.csv", b"name,height\n" + rows.encode())}
        assert web.post("/api/v1/loads", files=form, data={"dataset": "long"}).status_code == 202
        text, pause = "", Event()
        while "Looking at long.csv" not in text and "Reading long.csv" not in text:
            text = web.get("/data/loads/l1").text
            assert 'hx-get="/data/loads/l1/progress"' in text
            pause.wait(0.01)
        assert "<progress" in text
        response = web.post("/data/loads/l1/cancel")
        assert response.url.path == "/data/loads/l1"
        assert "cancelled" in response.text
        assert "was cancelled" in await_end(web, "l1")
    assert tuqa.datasets() == ()


def test_a_load_that_fails_says_why(web: TestClient) -> None:
    load(web)
    preview(web, ("trees.csv", b"name,height\nDate,1\n"))
    start(web, "trees", "append", number=2)
    text = await_end(web, "l2")
    assert "The load failed." in text
    assert "has a source" in text


def test_unknown_loads_and_datasets(web: TestClient) -> None:
    for path in ("/data/loads/l9", "/data/loads/l9/progress", "/data/previews/p9"):
        response = web.get(path)
        assert response.status_code == 404
        assert 'role="alert"' in response.text
    response = web.get("/data/nothing")
    assert response.status_code == 404
    assert 'role="alert"' in response.text


def test_loading_needs_permission(films: TrustUQA, tmp_path: Path) -> None:
    with open_client(films, tmp_path) as web:
        text = web.get("/data").text
        assert "--allow-load" in text
        assert 'type="file"' not in text
        posts = ("preview", "previews/p1", "load", "loads/l1/cancel")
        gets = ("previews/p1", "loads/l1", "loads/l1/progress")
        responses = [web.post(f"/data/{path}") for path in posts]
        responses += [web.get(f"/data/{path}") for path in gets]
        assert [response.status_code for response in responses] == [403] * 7
        assert all("--allow-load" in response.text for response in responses)
        assert web.get("/data/films").status_code == 200
    assert uploaded(tmp_path) == []


def test_a_long_upload_is_refused(web: TestClient, tmp_path: Path) -> None:
    response = preview(web, ("trees.csv", CSV * 5_000))
    assert response.status_code == 413
    assert "100 kB" in response.text
    assert "<html" in response.text
    assert uploaded(tmp_path) == []


def test_a_schema_shows_relations_sources_and_notes(films: TrustUQA, web: TestClient) -> None:
    films.add_notes("films", ["Years are those of the first showing."])
    films.add_synonyms("films", {"cast": "starring"})
    text = web.get("/data/films").text
    schema = films.schema("films")
    for relation in schema.relations:
        assert f"<bdi>{relation.name}</bdi>" in text
    for source in schema.sources:
        assert f"<bdi>{source.name}</bdi></a>" in text
    assert "Years are those of the first showing." in text
    assert "<dt><bdi>cast</bdi></dt>" in text
    assert 'href="/?dataset=films"' in text


def test_a_search_finds_relations_and_names(films: TrustUQA, web: TestClient) -> None:
    text = web.get("/data/films", params={"search": "STARR"}).text
    assert "<bdi>starring</bdi></th>" in text
    assert "<bdi>directed by</bdi></th>" not in text
    text = web.get("/data/films", params={"search": "Alien"}).text
    assert "Exactly <q><bdi>Alien</bdi></q>" in text
    text = web.get("/data/films", params={"search": "staring"}).text
    assert "No relation has" in text
    assert 'href="/data/films?search=starring"' in text


def test_a_schema_of_one_source(web: TestClient) -> None:
    preview(web, ("trees.csv", CSV), ("bushes.csv", b"name,colour\nGorse,yellow\n"), dataset="p")
    start(web, "p")
    await_end(web, "l1")
    text = web.get("/data/p", params={"source": "bushes.csv"}).text
    assert "<bdi>colour</bdi></th>" in text
    assert "<bdi>height</bdi></th>" not in text
    # Another source can still be chosen.
    assert '<option value="trees.csv"' in text
    assert '<option value="bushes.csv" selected' in text
    assert web.get("/data/p", params={"source": "none"}).status_code == 404


def test_a_long_schema_is_cut(web: TestClient) -> None:
    names = [f"column {number}" for number in range(130)]
    content = f"{','.join(names)}\n{','.join(map(str, range(130)))}\n".encode()
    text = preview(web, ("wide.csv", content)).text
    assert "30 more columns" in text
    start(web, "wide")
    await_end(web, "l1")
    text = web.get("/data/wide").text
    assert text.count('<tr>\n<th scope="row"><bdi>column') == 100
    assert "30 more relations" in text
    text = web.get("/data/wide", params={"search": "column 12"}).text
    assert "more relations" not in text
    assert "<bdi>column 129</bdi></th>" in text


def test_a_dataset_is_deleted_with_its_files(
    web: TestClient, tuqa: TrustUQA, tmp_path: Path
) -> None:
    preview(web, ("trees.csv", CSV))
    start(web, "trees/old")
    await_end(web, "l1")
    pause = Event()
    while len(uploaded(tmp_path)) > 1:  # the folder of the preview goes after the load has ended
        pause.wait(0.01)
    assert len(uploaded(tmp_path)) == 1
    assert 'action="/data/trees/old/delete"' in web.get("/data/trees/old").text
    wrong = web.post("/data/trees/old/delete", data={"name": "trees"})
    assert wrong.status_code == 400
    assert "nothing was deleted" in wrong.text
    assert [entry.name for entry in tuqa.datasets()] == ["trees/old"]
    gone = web.post("/data/trees/old/delete", data={"name": "trees/old"})
    assert (gone.status_code, gone.url.path) == (200, "/data")
    assert tuqa.datasets() == ()
    assert uploaded(tmp_path) == []
    again = web.post("/data/trees/old/delete", data={"name": "trees/old"})
    assert again.status_code == 404


def test_a_dataset_is_renamed_with_its_files(web: TestClient, tuqa: TrustUQA) -> None:
    preview(web, ("trees.csv", CSV))
    start(web, "trees/old")
    await_end(web, "l1")
    assert 'action="/data/trees/old/rename"' in web.get("/data/trees/old").text
    refused = web.post("/data/trees/old/rename", data={"name": " "})
    assert (refused.status_code, "give another name" in refused.text) == (400, True)
    named = web.post("/data/trees/old/rename", data={"name": "wood & more/\u00e9"})
    assert (named.status_code, named.url.path) == (200, "/data/wood & more/\u00e9")
    check_page(named.text)
    assert [entry.name for entry in tuqa.datasets()] == ["wood & more/\u00e9"]
    # The lines of its facts are shown, and the old name leads to a page that says that it is gone.
    query = {"query": "get_information(head_entity='Birch')", "dataset": "wood & more/\u00e9"}
    query["query"] = "get_information(relation='height')"
    lines = web.get(f"{web.post('/run', data=query).url.path}/facts/1/lines").text
    assert "<mark><bdi>Alder,12 m" in lines
    assert "There is no dataset" in web.get("/", params={"dataset": "trees/old"}).text
    gone = web.get("/data/trees/old")
    assert gone.status_code == 404
    assert "trees/old" not in web.get("/data").text


def test_a_dataset_of_a_load_that_waits_is_not_renamed(
    web: TestClient, tuqa: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(web)

    async def list_jobs(_: loads.Loads) -> list[loads.ServerLoad]:
        return [loads.ServerLoad("l2", "trees", ("more.csv",))]

    monkeypatch.setattr(loads.Loads, "jobs", list_jobs)
    refused = web.post("/data/trees/rename", data={"name": "wood"})
    assert refused.status_code == 409
    assert "a load of this dataset runs or waits" in refused.text
    assert [entry.name for entry in tuqa.datasets()] == ["trees"]


def test_a_load_that_begins_during_a_rename_keeps_its_name(
    web: TestClient, tuqa: TrustUQA, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(web)
    preview(web, ("more.csv", CSV))
    rename = tuqa.rename

    def rename_and_load(dataset: str, name: str) -> None:
        rename(dataset, name)
        start(web, "trees", number=2)

    monkeypatch.setattr(tuqa, "rename", rename_and_load)
    assert web.post("/data/trees/rename", data={"name": "wood"}).status_code == 200
    await_end(web, "l2")
    jobs = {job["id"]: job["dataset"] for job in web.get("/api/v1/loads").json()}
    assert jobs == {"l1": "wood", "l2": "trees"}
    assert {entry.name for entry in tuqa.datasets()} == {"wood", "trees"}


CODES = b"name,zip\nAnn,01234\nBea,04567\nCem,01239\n"


def find_button(text: str, words: str) -> tuple[str, str]:
    """The form and the value of the button with these words."""
    match = re.search(rf'form="(\w+)" name="change" value="([^"]*)">{words}</button>', text)
    assert match, text
    return match[1], unescape(match[2])


def test_a_note_is_followed_before_the_load(web: TestClient) -> None:
    page = preview(web, ("people.csv", CODES))
    form, change = find_button(page.text, "Read zip as text")
    assert (form, change) == ("reading", '{"types": {"zip": "text"}}')
    again = web.post("/data/previews/p1", data={"dataset": "people", "change": change})
    assert again.text.count('<span class="reading">text') == 2
    assert "Read zip as text" not in again.text
    gone = web.post("/data/previews/p1", data={"dataset": "people", "change": change})
    assert gone.status_code == 400
    assert "no note offers this any more" in gone.text


def test_a_note_is_followed_after_the_load(web: TestClient, tuqa: TrustUQA) -> None:
    load(web, "people.csv", CODES)

    def count_numbers() -> int:
        relations = tuqa.schema("people").relations
        return next(r.tails.numbers for r in relations if r.name == "zip")

    assert count_numbers() == 3
    page = web.get("/data/loads/l1").text
    check_page(page)
    form, change = find_button(page, "Read zip as text")
    assert form == "again"
    response = web.post("/data/loads/l1/again", data={"change": change})
    assert response.url.path == "/data/loads/l2"
    end = await_end(web, "l2")
    assert "people.csv&#39; replaced" in end
    assert "Read zip as text" not in end
    assert (count_numbers(), len(tuqa.schema("people").sources)) == (0, 1)
    refused = web.post("/data/loads/l2/again", data={"change": '{"header": "3"}'})
    assert (refused.status_code, count_numbers()) == (400, 0)


def test_a_load_of_an_earlier_dataset_of_the_name_is_not_followed(
    web: TestClient, tuqa: TrustUQA, tmp_path: Path
) -> None:
    load(web, "people.csv", CODES)
    tuqa.rename("people", "old people")
    (tmp_path / "people.csv").write_text("name,zip\nDan,04123\n")
    tuqa.load(tmp_path / "people.csv")
    refused = web.post("/data/loads/l1/again", data={"change": '{"types": {"zip": "text"}}'})
    assert refused.status_code == 400
    assert "not in &#39;people&#39; any more" in refused.text
    assert [source.facts for entry in tuqa.datasets() for source in entry.sources] == [6, 2]


def test_notes_of_files_that_are_not_kept_offer_nothing(
    web: TestClient, tuqa: TrustUQA, tmp_path: Path
) -> None:
    load(web, "people.csv", CODES)
    for path in tmp_path.glob("uploads/[!.]*/*"):
        path.unlink()
    page = web.get("/data/loads/l1").text
    assert "look like codes" in page
    assert "/button>" not in page.partition('class="notes"')[2].partition("</ul>")[0]
    assert web.post("/data/loads/l1/again", data={"change": "{}"}).status_code == 400
    assert [entry.name for entry in tuqa.datasets()] == ["people"]


def test_changes_of_a_note() -> None:
    report = LoadReport("d", 1)
    changes: list[LoadChange] = [
        {"types": {"b": "text"}}, {"header": "none"}, {"skip_end": 0}, {"split": {"t": ";"}},
    ]  # fmt: skip
    report.remarks["note"] = Remark(1, ["f"], changes)
    before = {"types": {"a": "date"}, "skip": 2, "format": "table"}
    after = before
    for change in changes:
        after = loads.change_options(after, report.changes, json.dumps(change))
    assert after == {
        "types": {"a": "date", "b": "text"}, "header": "none", "skip_end": 0, "format": "table",
        "split": {"t": ";"},
    }  # fmt: skip
    assert before["skip"] == 2
    assert [*map(data_views._name_change, changes)] == [
        "Read b as text", "Read the first line as a row", "Read all rows", "Part the cells of t at ;",
    ]  # fmt: skip


GRAPH = b"Alder\tgrows in\tBavaria\nBirch\tgrows in\tSaxony\nCedar\tgrows in\tHesse\n"


def test_files_of_several_formats_are_one_load(web: TestClient, tuqa: TrustUQA) -> None:
    page = preview(web, ("trees.csv", CSV), ("places.tsv", GRAPH))
    assert page.status_code == 200
    text = re.sub(r"</?(?:bdi|strong)>", "", page.text)
    assert "trees.csv is read as table" in text
    assert "places.tsv is read as kg: head, relation, tail; tab" in text
    assert "9 facts in 2" in page.text
    start(web, "wood")
    assert "9 facts from 2 sources" in await_end(web, "l1")
    (dataset,) = tuqa.datasets()
    assert {source.name: source.kind for source in dataset.sources} == {
        "places.tsv": "kg", "trees.csv": "table",
    }  # fmt: skip
    assert tuqa.ask("Where does Birch grow in?", "wood").outcome != "failed"
    query = {"query": "get_information(head_entity='Birch', relation='grows in')"}
    lines = web.get(
        f"{web.post('/run', data={**query, 'dataset': 'wood'}).url.path}/facts/1/lines"
    ).text
    assert "Saxony" in lines


def test_a_fault_of_one_of_several_formats_is_named(web: TestClient, tuqa: TrustUQA) -> None:
    prose = ("note.txt", b"Only prose stands here.\nNothing else.\n")
    page = preview(web, ("trees.csv", CSV), prose)
    assert page.status_code == 400
    assert "note.txt" in page.text
    lame = ("places.tsv", GRAPH + b"Elm\tgrows in\n")
    page = preview(web, ("trees.csv", CSV), lame)
    assert "places.tsv:4" in page.text
    assert "Load without 1 line" in page.text
    assert tuqa.datasets() == ()
