"""Agents by HTTP, with the client of the SDK, in both ages of the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from support.web import AGENT_TOKEN, BEARER, run_server

from trustuqa_neo4j import TrustUQA

STARRING = "get_information(head_entity='Alien', relation='starring')"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("private", [False, True])
def test_an_agent_asks_by_http_and_a_person_sees_the_answer(
    films: TrustUQA, tmp_path: Path, mode: Any, private: bool
) -> None:
    with run_server(films, tmp_path, private=private) as address:

        async def main() -> dict[str, Any]:
            headers = {"Authorization": f"Bearer {AGENT_TOKEN}"}
            async with create_mcp_http_client(headers=headers) as http:
                transport = streamable_http_client(f"{address}mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    result = await client.call_tool(
                        "run_query", {"query": STARRING, "dataset": "films"}
                    )
            content = result.structured_content
            assert isinstance(content, dict)
            return content

        answer = anyio.run(main)
        assert answer["view"] == f"{address}answers/{answer['answer']}"
        assert answer["total"] == 2
        assert answer["values"] == ([] if private else ["Sigourney Weaver", "Tom Skerritt"])
        health = httpx.get(f"{address}healthz").json()
        assert (health["running"], health["waiting"]) == (0, 0)
        assert httpx.get(f"{address}api/v1/datasets", headers=BEARER).status_code == 200
