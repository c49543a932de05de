"""Worked examples that ship with the package: questions with queries over small invented data.

A model has never seen the query language. A dataset without enough demonstrations of its own is asked with as
many examples as demonstrations were wished, shared by its kinds of data. They are fixed text of the system
message, the same for all questions over one kind of data. The first ones of a kind show what differs most.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from ..ablation import SystemPart, is_left_out
from .prompt_input import PromptInput

ExampleKind: TypeAlias = Literal["table", "graph", "temporal graph", "classes"]

_HEADER = "Examples, over other data:"


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """``target`` is the target type, empty for graphs; ``answer`` is that over the example data."""

    question: str
    target: str
    steps: tuple[tuple[str, str], ...]
    answer: tuple[str | float, ...]

    @property
    def query(self) -> str:
        lines = [f"## Target type: {{{self.target}}}"] if self.target else []
        lines.append("## Query:")
        for number, (sentence, call) in enumerate(self.steps, 1):
            lines += [f"Step{number}: {sentence}", f'Query{number}: "{call}"']
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ExampleData:
    """Data of one kind, as lines of a file in ``format``, with its ``schema`` as a prompt shows it."""

    kind: ExampleKind
    format: str
    schema: str
    data: str
    examples: tuple[WorkedExample, ...]

    def describe(self, count: int) -> str:
        """Return the schema and the first ``count`` examples."""
        parts = [f'Question: "{e.question}"\n{e.query}' for e in self.examples[:count]]
        return "\n\n".join((self.schema, *parts))


@cache
def load_worked_examples() -> tuple[ExampleData, ...]:
    text = (
        files("trustuqa_neo4j.prompts").joinpath("worked_examples.toml").read_text(encoding="utf-8")
    )
    return tuple(
        ExampleData(
            entry["kind"],
            entry["format"],
            entry["schema"],
            entry["data"].lstrip("\n"),
            tuple(
                WorkedExample(
                    example["question"],
                    example.get("target", ""),
                    tuple((sentence, call) for sentence, call in example["steps"]),
                    tuple(example["answer"]),
                )
                for example in entry["examples"]
            ),
        )
        for entry in tomllib.loads(text)["kinds"]
    )


def describe_worked_examples(prompt_input: PromptInput) -> str:
    """Return the examples for the kinds of data; empty if there are enough demonstrations."""
    if is_left_out(SystemPart.WORKED_EXAMPLES):
        return ""
    if len(prompt_input.demonstrations) >= prompt_input.examples:
        return ""
    has_kind: dict[ExampleKind, bool] = {
        "table": prompt_input.has_tables,
        "graph": prompt_input.has_graphs,
        "temporal graph": prompt_input.has_valid_times,
        "classes": prompt_input.has_classes,
    }
    shown = [data for data in load_worked_examples() if has_kind[data.kind]]
    texts = [
        data.describe(-(-(prompt_input.examples - place) // len(shown)))
        for place, data in enumerate(shown)
        if place < prompt_input.examples
    ]
    return "\n\n".join((_HEADER, *texts)) if texts else ""
