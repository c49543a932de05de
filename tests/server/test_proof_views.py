"""The proof on the page: the lines of a fact, and the facts around a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.pages import (
    MISSIONS,
    SCRIPT,
    STARRING,
    Browse,
    check_page,
    check_part,
    run,
)
from support.samples import FILMS
from support.tables import xlsx

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.server.uploads import Uploads


def test_a_fact_shows_the_lines_of_its_file(browse: Browse, missions: Path) -> None:
    browser = browse()
    query = "get_information(relation='commander', key='mission', value='Apollo 13')"
    address = run(browser, query, "missions")
    part = browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text
    check_part(part)
    assert str(missions) in part
    assert "<mark><bdi>Apollo 13,1970,Jim Lovell</bdi></mark>" in part
    assert "<bdi>mission,year,commander</bdi>" in part
    assert part.count("<li") == 4
    assert "warning" not in part
    check_page(browser.get(f"{address}/facts/1/lines").text)


def test_a_file_that_was_changed_is_not_shown(browse: Browse, missions: Path) -> None:
    browser = browse()
    address = run(browser, "get_information(relation='commander')", "missions")
    content = missions.read_bytes()
    missions.write_bytes(content.replace(b"Neil", b"NEIL"))
    part = browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text
    check_part(part)
    assert "was changed after it was loaded" in part
    assert "Armstrong" not in part
    missions.write_bytes(content)
    assert "Neil Armstrong" in browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text


def test_a_file_that_is_gone_says_so(browse: Browse, missions: Path) -> None:
    browser = browse()
    address = run(browser, "get_information(relation='commander')", "missions")
    missions.unlink()
    part = browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text
    check_part(part)
    assert "The file is not there" in part
    assert "<mark>" not in part


def test_a_file_with_a_relative_name_is_looked_for_in_the_folder(
    browse: Browse, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "missions.csv").write_text(MISSIONS, encoding="utf-8")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    tuqa.load("table", "missions.csv", dataset="missions")
    browser = browse()
    address = run(browser, "get_information(relation='commander')", "missions")
    monkeypatch.chdir(tmp_path / "other")
    part = browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text
    assert f"The file is not in {tmp_path / 'other'}: start tuqa serve in the folder" in part
    monkeypatch.chdir(tmp_path)
    assert "Neil Armstrong" in browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text


def test_a_workbook_has_no_lines(browse: Browse, tuqa: TrustUQA, tmp_path: Path) -> None:
    workbook = tmp_path / "trees.xlsx"
    workbook.write_bytes(xlsx({"trees": [["tree", "height"], ["Alder", 12.0], ["Birch", 15.0]]}))
    tuqa.load("table", str(workbook), dataset="trees")
    browser = browse()
    address = run(browser, "get_information(relation='height')", "trees")
    assert "not a text file" in browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text


def test_no_file_is_shown_that_was_not_loaded(
    browse: Browse, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("films.tsv").write_bytes(FILMS.read_bytes())
    tuqa.load("kg", "films.tsv", dataset="films")
    # An export keeps the names of files, which its reader may not have chosen.
    tuqa.export("films", "exported")
    for part in Path("exported").iterdir():
        text = part.read_text(encoding="utf-8")
        part.write_text(text.replace("films.tsv", "tuqa.toml"), encoding="utf-8")
    Path("tuqa.toml").write_text("# a secret\n" * 20, encoding="utf-8")
    tuqa.load("exported", "exported", dataset="copied")
    browser = browse()
    address = run(browser, STARRING, "copied")
    page = browser.get(address).text
    assert "tuqa.toml" in page
    assert "a secret" not in browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text


def test_an_uploaded_file_comes_before_one_of_the_folder(
    browse: Browse, tuqa: TrustUQA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("films.tsv").write_bytes(FILMS.read_bytes())
    tuqa.load("kg", "films.tsv", dataset="films")
    uploaded = Uploads(tmp_path / "uploads" / "x").find("films", "films.tsv")
    uploaded.parent.mkdir(parents=True)
    uploaded.write_bytes(b"of another upload")
    browser = browse()
    address = run(browser)
    assert "Alien" in browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text
    uploaded.write_bytes(FILMS.read_bytes())
    Path("films.tsv").unlink()
    assert "Alien" in browser.get(f"{address}/facts/1/lines", headers=SCRIPT).text


def test_only_facts_of_the_answer_have_lines(browser: TestClient) -> None:
    address = run(browser)
    for number in ("0", "3", "99"):
        response = browser.get(f"{address}/facts/{number}/lines")
        assert response.status_code == 404
        assert f"no fact {number}" in response.text


def test_the_facts_around_a_name(browser: TestClient) -> None:
    params = {"dataset": "films", "name": "Ridley Scott"}
    part = browser.get("/around", params=params, headers=SCRIPT).text
    check_part(part)
    assert part.count('<th scope="row">') == 3
    assert "South Shields" in part
    assert "Blade Runner" in part
    check_page(browser.get("/around", params=params).text)


@pytest.mark.parametrize("name", ["I Can't Sleep", 'Say "Hi", he said'])
def test_a_name_with_quotes_is_searched(browser: TestClient, name: str) -> None:
    part = browser.get("/around", params={"dataset": "films", "name": name}, headers=SCRIPT).text
    assert part.count('<th scope="row">') == 1
    assert "directed by" in part


@pytest.mark.parametrize(
    ("name", "status"), [("", 400), ("output_of_query1", 400), ("xyzzy plugh", 200)]
)
def test_a_name_without_facts(browser: TestClient, name: str, status: int) -> None:
    response = browser.get("/around", params={"dataset": "films", "name": name}, headers=SCRIPT)
    assert response.status_code == status
    assert '<th scope="row">' not in response.text
