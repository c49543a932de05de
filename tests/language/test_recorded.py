"""All LLM queries recorded for MetaQA, as the models wrote them."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j.checking.check import check
from trustuqa_neo4j.language.parse import parse
from trustuqa_neo4j.language.query import Call, Listing, Literal, LLMQuery, Value
from trustuqa_neo4j.planning import ExecutionQuery, plan

pytestmark = pytest.mark.packs

LABEL = re.compile(r"^Query\d+:", re.MULTILINE)


@pytest.fixture(scope="module")
def recorded(packs: Path) -> list[tuple[str, str | None]]:
    """Question and what the model wrote, null where it gave nothing."""
    found = []
    for path in sorted((packs / "metaqa").glob("llm_queries.*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        found += [(record["question"], record["llm_output"]) for record in records]
    return found


def names(value: Value) -> Iterator[str]:
    if isinstance(value, Literal):
        yield value.text
    elif isinstance(value, Listing):
        for member in value.members:
            yield from names(member)
    elif isinstance(value, Call):
        for argument in value.arguments:
            yield from names(argument.value)


def test_every_recorded_query_is_read(recorded: list[tuple[str, str | None]]) -> None:
    """None is left that cannot be read; each step is there, and the name asked about is not cut."""
    outcomes: Counter[str] = Counter()
    renamed = []
    for question, text in recorded:
        if text is None:
            outcomes["null"] += 1
            continue
        read = parse(text)
        assert isinstance(read, LLMQuery), (text, read)
        assert len(read.steps) == len(LABEL.findall(text)), text
        outcomes[outcome(read)] += 1
        topic = re.search(r"\[(.*)\]", question)
        assert topic is not None
        if all(topic[1] not in names(step.call) for step in read.steps):
            renamed.append(topic[1])
    assert outcomes == {"runs": 17_889, "set_difference": 5_100, "three parameters": 2, "null": 27}
    # The models themselves wrote these two otherwise: in capitals, without the question mark.
    assert renamed == ["robert zemeckis", "biographical?"]


def outcome(read: LLMQuery) -> str:
    """What of ``read`` is not built yet, or that it runs."""
    if problems := check(read):
        assert {(p.kind, p.message.split()[2]) for p in problems} == {
            ("not built", "set_difference")
        }
        return "set_difference"
    if isinstance(plan(read), ExecutionQuery):
        return "runs"
    assert any(len(step.call.arguments) == 3 for step in read.steps)
    return "three parameters"
