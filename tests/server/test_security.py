"""What a request must show before the server answers it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.web import AGENT_TOKEN, TOKEN, open_client

from trustuqa_neo4j import TrustUQA
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
        {"Authorization": "", "Cookie": f"tuqa_token_8765={TOKEN}x"},
        {"Authorization": "", "Cookie": f"tuqa_token_8766={TOKEN}"},
        {"Authorization": "", "Cookie": f"tuqa_token_8765={AGENT_TOKEN}"},
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
    assert cookie.startswith(f"tuqa_token_8765={TOKEN};")
    assert "HttpOnly" in cookie
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
