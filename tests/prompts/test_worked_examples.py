"""Worked examples: each answers over its data as it says, and prompts show those of the right kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.prompt_inputs import INTO, KG, MIXED, ONE_TABLE, TEMPORAL

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.prompts import Prompt, PromptInput, build_prompt
from trustuqa_neo4j.prompts.worked_examples import ExampleData, load_worked_examples

SUFFIXES = {"table": "csv", "kg": "tsv", "temporal-kg": "tsv", "rdf": "ttl"}
KINDS = {data.kind: data for data in load_worked_examples()}


@pytest.fixture(scope="module", params=list(KINDS))
def example_data(
    request: pytest.FixtureRequest, client: TrustUQA, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TrustUQA, ExampleData]]:
    data = KINDS[request.param]
    file = tmp_path_factory.mktemp("examples") / f"data.{SUFFIXES[data.format]}"
    file.write_text(data.data, encoding="utf-8")
    client.load(data.format, file, dataset=data.kind, embeddings=False)
    yield client, data
    client.drop(data.kind)


def test_every_example_answers_as_it_says(example_data: tuple[TrustUQA, ExampleData]) -> None:
    client, data = example_data
    for example in data.examples:
        report = client.check(example.query, data.kind, question=example.question)
        assert report.problems == (), example.question
        answer = client.run(example.query, data.kind)
        assert sorted(map(str, answer.values)) == sorted(map(str, example.answer)), example.question


def shown_kinds(prompt: Prompt) -> set[str]:
    text = prompt.messages[0].content
    return {data.kind for data in KINDS.values() if data.schema in text}


@pytest.mark.parametrize(
    ("prompt_input", "kinds"),
    [
        (ONE_TABLE, {"table"}),
        (KG, {"graph"}),
        (TEMPORAL, {"graph", "temporal graph"}),
        (MIXED, {"table", "graph", "temporal graph"}),
    ],
)
def test_a_prompt_has_the_examples_of_its_kinds_of_data(
    prompt_input: PromptInput, kinds: set[str]
) -> None:
    fresh = build_prompt(replace(prompt_input, demonstrations=(), examples=8))
    assert shown_kinds(fresh) == kinds
    assert fresh.tokens <= 4_000
    assert shown_kinds(build_prompt(replace(prompt_input, examples=0))) == set()
    taught = build_prompt(replace(prompt_input, demonstrations=(INTO,) * 8, examples=8))
    assert shown_kinds(taught) == set()


@pytest.mark.parametrize(("count", "shown"), [(2, 2), (8, 8), (9, 9), (40, 28)])
def test_examples_fill_up_to_as_many_as_wished(count: int, shown: int) -> None:
    prompt_input = replace(MIXED, demonstrations=(INTO,), examples=count)
    text = build_prompt(prompt_input).messages[0].content
    assert (
        sum(f'Question: "{e.question}"' in text for d in KINDS.values() for e in d.examples)
        == shown
    )


def test_each_kind_of_data_has_enough_examples() -> None:
    assert {kind: 8 <= len(data.examples) <= 15 for kind, data in KINDS.items()} == dict.fromkeys(
        ("table", "graph", "temporal graph", "classes"), True
    )


def test_examples_are_cut_after_heads_of_relations() -> None:
    prompt_input = replace(KG, examples=8)
    full = build_prompt(replace(prompt_input, heads={}))
    shorter = build_prompt(replace(prompt_input, budget=full.tokens - 1))
    assert shorter.cut == ("no heads of relations", "no worked examples")
    assert shorter.shots == full.shots
