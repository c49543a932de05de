"""What programs that watch the server read: counts without names of the data."""

from __future__ import annotations

from pathlib import Path

from support.web import open_client

from trustuqa_neo4j import TrustUQA


def test_requests_and_outcomes_are_counted(films: TrustUQA, tmp_path: Path) -> None:
    with open_client(films, tmp_path) as web:
        query = {"query": "get_information(head_entity='Alien', relation='starring')"}
        for dataset, status in (("films", 200), ("gone", 404)):
            response = web.post("/api/v1/run", json={**query, "dataset": dataset})
            assert response.status_code == status
        web.get("/api/v1/datasets/films/schema")
        web.get("/nothing/of/this/name")
        response = web.get("/metrics")
        lines = response.text.splitlines()
        assert response.headers["content-type"].startswith("text/plain")
        for line in (
            'tuqa_requests_total{method="POST",path="/api/v1/run",status="200"} 1.0',
            'tuqa_requests_total{method="POST",path="/api/v1/run",status="404"} 1.0',
            'tuqa_requests_total{method="GET",path="/api/v1/datasets/{dataset}/schema",status="200"} 1.0',
            'tuqa_requests_total{method="GET",path="unknown",status="404"} 1.0',
            'tuqa_request_seconds_count{path="/api/v1/run"} 2.0',
            'tuqa_answers_total{outcome="answered"} 1.0',
            "tuqa_requests_running 0.0",
        ):
            assert line in lines
        assert "Alien" not in response.text
        assert "of/this" not in response.text
        # Those who show no token get nothing, and are counted.
        assert web.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
        again = web.get("/metrics").text
        assert 'tuqa_requests_total{method="GET",path="unknown",status="401"} 1.0' in again
