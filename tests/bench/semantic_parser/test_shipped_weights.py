"""The shipped weights are what the scripts wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.semantic_parser.weights_file import make_digest
from trustuqa_neo4j.semantic_parser import ranker

SHIPPED: Mapping[str, Any] = json.loads(
    (Path(ranker.__file__).parent / ranker.WEIGHTS_FILE).read_text(encoding="utf-8")
)
REFIT = "fit again: python -m bench.semantic_parser, python -m bench.semantic_parser.graph"


@pytest.mark.parametrize("kind", ["table", "graph"])
def test_weights_are_as_the_script_wrote_them(kind: str) -> None:
    assert make_digest(SHIPPED[kind]) == SHIPPED[kind]["digest"], REFIT


@pytest.mark.parametrize("kind", ["table", "graph"])
def test_a_digest_tells_of_one_weight(kind: str) -> None:
    weights = SHIPPED[kind]["weights"]
    name, weight = next(iter(weights.items()))
    edited = {**SHIPPED[kind], "weights": {**weights, name: weight + 0.001}}
    assert make_digest(edited) != SHIPPED[kind]["digest"]
