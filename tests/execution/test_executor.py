"""What queries mean: golden cases over a small world, one file a subject."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.golden_cases import FOLDER

from trustuqa_neo4j import Answer, TrustUQA

GIVEN = {"dataset", "source", "query"}
EXPECTED = {
    "outcome", "values", "columns", "rows", "problems", "mapped", "evidence", "told", "order",
}  # fmt: skip


def load() -> list[Any]:
    found = []
    for path in sorted((FOLDER / "run").glob("*.json")):
        names: set[str] = set()
        for case in json.loads(path.read_text(encoding="utf-8")):
            assert case["case"] not in names, f"two cases of {path.name} have one name"
            names.add(case["case"])
            found.append(pytest.param(case, id=f"{path.stem}: {case['case']}"))
    return found


@pytest.mark.parametrize("case", load())
def test_a_query_means(world: TrustUQA, case: dict[str, Any]) -> None:
    given, expected = case["given"], case["expected"]
    assert given.keys() <= GIVEN
    assert expected.keys() <= EXPECTED
    text = given["query"] if isinstance(given["query"], str) else "\n".join(given["query"])
    answer = world.run(text, given["dataset"], source=given.get("source"), evidence=100)
    assert found(answer, expected) == wanted(expected)


def wanted(expected: dict[str, Any]) -> dict[str, Any]:
    """What a case asks for, with what it need not say."""
    plain = {"outcome": "answered" if "values" in expected else "empty", "values": []}
    plain |= {"problems": [], "columns": None, "rows": None}
    plain |= {name: asked for name, asked in expected.items() if name != "order"}
    if "order" not in expected:
        plain["values"] = sorted(plain["values"], key=_order)
    if "mapped" in plain:
        plain["mapped"] = sorted(plain["mapped"])
    return plain


def found(answer: Answer, expected: dict[str, Any]) -> dict[str, Any]:
    """The same of an answer: order counts only where the case says so."""
    values = list(answer.values)
    plain: dict[str, Any] = {
        "outcome": answer.outcome,
        "values": values if "order" in expected else sorted(values, key=_order),
        "problems": [[problem.kind, problem.step] for problem in answer.problems],
        "columns": None if answer.columns is None else list(answer.columns),
        "rows": None if answer.rows is None else [list(row) for row in answer.rows],
    }
    if "mapped" in expected:
        plain["mapped"] = sorted([m.given, m.used, m.how] for m in answer.mapped)
    if "evidence" in expected:
        lines = sorted({(Path(fact.file).name, fact.line) for fact in answer.evidence})
        plain["evidence"] = [f"{file}:{line}" for file, line in lines]
    if "told" in expected:
        trace = "\n".join(stage.found for stage in answer.trace)
        plain["told"] = expected["told"] if expected["told"] in trace else trace
    return plain


def _order(value: object) -> tuple[str, str]:
    """Numbers and texts beside each other: ``1`` is not ``'1'``."""
    return type(value).__name__, str(value)
