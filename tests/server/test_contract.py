"""Requests of all kinds, made from the description of the API: none is a fault of the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from support.web import AGENT_TOKEN, BEARER, TOKEN

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.server.app import make_app
from trustuqa_neo4j.server.options import ServerOptions
from trustuqa_neo4j.server.workspace import open_workspace

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
]  # fmt: skip


@pytest.fixture
def api(films: TrustUQA, tmp_path: Path) -> Iterator[Any]:
    with open_workspace(tmp_path / "uploads") as workspace:
        yield describe_requests(films, workspace)


def describe_requests(films: TrustUQA, workspace: Path) -> Any:
    options = ServerOptions(
        TOKEN, AGENT_TOKEN, hosts=("testserver",), allow_load=True, allow_teach=True
    )
    app = make_app(films, options, workspace)
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=BEARER)

    @schema.hook
    def map_body(_: Any, body: Any) -> Any:
        # Most random names are of no dataset: such requests never come to the engine. A time that the client
        # chose may be over, which is no fault.
        if not isinstance(body, dict):
            return body
        body = {name: value for name, value in body.items() if name != "timeout"}
        if isinstance(body.get("dataset"), str):
            body["dataset"] = "films"
        return body

    @schema.hook
    def map_path_parameters(context: Any, parameters: Any) -> Any:
        if isinstance(parameters, dict) and "dataset" in parameters:
            # The other requests need the dataset.
            takes_away = context.operation.method.lower() in ("delete", "patch")
            return {**parameters, "dataset": "gone" if takes_away else "films"}
        return parameters

    return schema


contract = schemathesis.pytest.from_fixture("api")


@pytest.mark.long
@contract.parametrize()
@settings(max_examples=40, deadline=None)
def test_no_request_is_a_fault_of_the_server(case: schemathesis.Case) -> None:
    case.call_and_validate(headers=BEARER, checks=CHECKS)
