"""The log of requests, before a small application and before the whole one."""

from __future__ import annotations

import io
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from support.web import open_client

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.server.request_log import RequestLog


async def answer(_: Request) -> Response:
    return PlainTextResponse("ok")


async def fail(_: Request) -> Response:
    raise ValueError("a fault")


def make_client(log: io.StringIO) -> TestClient:
    app = Starlette(routes=[Route("/ask", answer), Route("/fail", fail)])
    return TestClient(RequestLog(app, log), raise_server_exceptions=False)


def read(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_line_has_the_id_of_the_response() -> None:
    log = io.StringIO()
    response = make_client(log).get("/ask?question=who+is+secret&token=secret")
    (line,) = read(log)
    assert {**line, "time": 0, "ms": 0} == {
        "time": 0, "id": response.headers["x-request-id"], "method": "GET", "path": "/ask",
        "status": 200, "ms": 0,
    }  # fmt: skip
    assert line["ms"] >= 0
    assert line["time"].endswith("+00:00")
    assert "secret" not in log.getvalue()


@pytest.mark.parametrize(
    ("given", "is_kept"),
    [("trace-1.a", True), ("a b", False), ("x" * 65, False), ('"}\\n{"', False)],
)
def test_an_id_of_a_proxy_is_kept_if_it_is_one(given: str, is_kept: bool) -> None:
    log = io.StringIO()
    response = make_client(log).get("/ask", headers={"X-Request-Id": given})
    (line,) = read(log)
    assert response.headers["x-request-id"] == line["id"]
    assert (line["id"] == given) is is_kept
    assert is_kept or re.fullmatch("[0-9a-f]{16}", line["id"])


def test_a_path_cannot_break_a_line() -> None:
    log = io.StringIO()
    make_client(log).get("/a%0Ab%22" + "x" * 2000)
    (line,) = read(log)
    assert line["path"].startswith('/a\nb"')
    assert (len(line["path"]), line["status"]) == (500, 404)


def test_a_fault_is_logged() -> None:
    log = io.StringIO()
    make_client(log).get("/fail")
    (line,) = read(log)
    assert (line["path"], line["status"]) == ("/fail", 500)


def test_a_full_disk_does_not_stop_requests(caplog: pytest.LogCaptureFixture) -> None:
    class FullDisk(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    with caplog.at_level(logging.WARNING):
        assert make_client(FullDisk()).get("/ask").text == "ok"
    assert "No space left" in caplog.text


def test_refused_requests_are_logged(tuqa: TrustUQA, tmp_path: Path) -> None:
    log = io.StringIO()
    with open_client(tuqa, tmp_path, request_log=log) as web:
        response = web.get("/api/v1/datasets", headers={"Authorization": "Bearer no"})
    (line,) = read(log)
    assert (response.status_code, line["status"]) == (401, 401)
    assert line["id"] == response.headers["x-request-id"]
