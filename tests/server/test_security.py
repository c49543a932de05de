"""What a request must show before the server answers it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.web import AGENT_TOKEN, TOKEN, open_client

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.server import security
from trustuqa_neo4j.server.options import ServerOptions

DATASETS = "/api/v1/datasets"


@pytest.fixture
def web(films: TrustUQA, tmp_path: Path) -> Iterator[TestClient]:
    with open_client(films, tmp_path, max_body=1_000) as web:
        yield web


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": f"Bearer {AGENT_TOKEN}"},
        {"Authorization": "", "Cookie": f"tuqa_session_8765={TOKEN}"},
        {"Authorization": "", "Cookie": f"tuqa_token_8765={TOKEN}"},
        {"Authorization": "", "Cookie": f"tuqa_session_8765={AGENT_TOKEN}"},
        {"Authorization": "", "Cookie": "tuqa_session_8765="},
    ],
)
def test_a_token_is_needed(web: TestClient, headers: dict[str, str]) -> None:
    for path in (DATASETS, "/", "/v1/models", "/static/page.css"):
        response = web.get(path, headers=headers)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in response.text


def test_the_printed_address_sets_a_cookie_and_loses_the_token(web: TestClient) -> None:
    del web.headers["Authorization"]
    response = web.get(f"/?token={TOKEN}&dataset=a+b")
    assert (response.status_code, response.headers["location"]) == (303, "/?dataset=a+b")
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("tuqa_session_8765=")
    assert TOKEN not in cookie
    assert {"HttpOnly", "Path=/", "SameSite=strict", "Max-Age=43200"} <= {*cookie.split("; ")}
    assert web.get(DATASETS).status_code == 200
    address = f"http://127.0.0.1:8765//evil.example/?token={TOKEN}"
    response = web.get(address, headers={"Cookie": ""})
    assert response.headers["location"] == "/evil.example/"


def test_the_token_of_agents_opens_their_path_alone(web: TestClient) -> None:
    headers = {"Authorization": f"Bearer {AGENT_TOKEN}"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accept = {"Accept": "application/json, text/event-stream"}
    assert web.post("/mcp", json=body, headers={**headers, **accept}).status_code != 401
    assert web.post("/mcp", json=body, headers={"Authorization": "Bearer x"}).status_code == 401
    assert web.post("/api/v1/run", json={"query": "x"}, headers=headers).status_code == 401
    assert web.get("/mcp/../api/v1/datasets", headers=headers).status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1:9", "", "127.0.0.1.evil.example"]
)
def test_other_hosts_are_refused(web: TestClient, host: str) -> None:
    response = web.get(DATASETS, headers={"Host": host})
    assert (response.status_code, response.json()["title"]) == (421, "unknown host")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"]
)
def test_names_of_this_machine_are_answered(web: TestClient, host: str) -> None:
    assert web.get(DATASETS, headers={"Host": host}).status_code == 200


def test_a_name_can_be_allowed() -> None:
    options = ServerOptions(
        TOKEN, host="0.0.0.0", port=80, hosts=("tuqa.example",)
    )  # to be refused
    assert {"tuqa.example", "tuqa.example:80"} <= options.allowed_hosts
    assert "localhost" not in options.allowed_hosts


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:8765", "Sec-Fetch-Site": "same-origin"}, 200),
        ({}, 200),
    ],
)
def test_pages_of_other_sites_change_nothing(
    web: TestClient, headers: dict[str, str], status: int
) -> None:
    body = {"query": "get_information(head_entity='Alien', relation='starring')"}
    assert web.post("/api/v1/run", json=body, headers=headers).status_code == status


def test_headers_of_every_response(web: TestClient) -> None:
    for path in ("/", DATASETS, "/nothing", "/healthz", "/static/page.css"):
        headers = web.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
    assert web.get(DATASETS).headers["cache-control"] == "no-store"


def test_long_bodies_are_refused(web: TestClient) -> None:
    body = {"query": "x" * 1_000}
    response = web.post("/api/v1/run", json=body)
    assert (response.status_code, response.json()["title"]) == (413, "body too long")
    # The length of a stream is not said before.
    response = web.post("/api/v1/run", content=(b"x" * 100 for _ in range(100)))
    assert response.status_code == 413


def test_health_needs_no_token(web: TestClient) -> None:
    response = web.get("/healthz", headers={"Authorization": ""})
    assert (response.status_code, response.json()["status"]) == (200, "ok")


@pytest.fixture
def page(web: TestClient) -> TestClient:
    """A browser that has opened the printed address."""
    del web.headers["Authorization"]
    assert web.get(f"/?token={TOKEN}").status_code == 303
    return web


SITE = "http://127.0.0.1:8765"
OTHER = "http://127.0.0.1:9999"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": SITE}, 200),
        ({"Referer": f"{SITE}/data"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Referer": f"{OTHER}/"}, 403),
        ({"Referer": f"{SITE}0/"}, 403),
        ({"Referer": SITE, "Origin": OTHER}, 403),
        ({"Sec-Fetch-Site": "same-site", "Referer": SITE}, 403),
    ],
)
def test_a_session_changes_nothing_for_other_pages(
    page: TestClient, headers: dict[str, str], status: int
) -> None:
    body = {"query": "get_information(head_entity='Alien', relation='starring')"}
    assert page.post("/api/v1/run", json=body, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 200),
        ("/", {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200),
        ("/", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 200),
        (DATASETS, {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
        ("/static/page.js", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ("/ask?question=x", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ("/ask?question=x", {"Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_a_session_is_read_by_its_page_alone(
    page: TestClient, path: str, headers: dict[str, str], status: int
) -> None:
    assert page.get(path, headers=headers).status_code == status


def test_a_session_is_no_token_and_ends(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    (session,) = page.cookies.values()
    assert page.get(DATASETS).status_code == 200
    bearer = {"Authorization": f"Bearer {session}", "Cookie": ""}
    assert page.get(DATASETS, headers=bearer).status_code == 401
    assert page.get(f"/?token={session}", headers={"Cookie": ""}).status_code == 401
    monkeypatch.setattr(security, "monotonic", lambda: float("inf"))
    assert page.get(DATASETS).status_code == 401


def test_the_oldest_of_many_sessions_ends() -> None:
    sessions = security.Sessions()
    names = [sessions.begin("digest") for _ in range(101)]
    shown = [sessions.find(name) for name in (names[0], names[1], names[-1])]
    assert shown == [None, "digest", "digest"]
