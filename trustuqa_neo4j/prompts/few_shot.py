"""Few-shot examples: each demonstration is a message of the user and a reply of the assistant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..language.ast import Query
from ..language.parser import parse_query
from ..language.printer import UnprintableName, print_query
from ..llm.messages import Message
from ..model.demonstration import Demonstration
from .prompt_input import PromptInput
from .schema_text import PromptFragment, format_row, quote_text

_QUERY_LINE = re.compile(
    r"^[\s*`]*(?:##\s*(?:target type|query)\b|step\s*\d+\b|query\s*\d+\b).*", re.I | re.M
)


@dataclass(frozen=True, slots=True)
class FewShotExample:
    question: Message
    query: Message
    sent: tuple[str, ...]

    @property
    def messages(self) -> tuple[Message, Message]:
        return self.question, self.query

    @property
    def fragment(self) -> PromptFragment:
        text = f"{self.question.content}\n{self.query.content}"
        return PromptFragment("demonstrations", text, self.sent)


def build_examples(prompt_input: PromptInput) -> list[FewShotExample]:
    """Build the examples in order; one of a table gets the sample row of this table."""
    return [
        _build_example(prompt_input, demonstration) for demonstration in prompt_input.demonstrations
    ]


def format_question(text: str) -> str:
    return f"Question: {quote_text(text)}"


@lru_cache(maxsize=1024)
def strip_prose(query: str) -> str:
    """Keep only the lines of the query itself, if they are still the same query."""
    lines = "\n".join(line.strip() for line in _QUERY_LINE.findall(query))
    canonical = canonical_query(lines)
    is_same = canonical is not None and canonical == canonical_query(query)
    return lines if is_same else query.strip()


def canonical_query(query: str) -> str | None:
    parsed = parse_query(query)
    try:
        return print_query(parsed) if isinstance(parsed, Query) else None
    except UnprintableName:
        return None


def _build_example(prompt_input: PromptInput, demonstration: Demonstration) -> FewShotExample:
    sample = None
    if demonstration.source is not None:
        samples = (
            sample_row
            for sample_row in prompt_input.samples
            if sample_row.source == demonstration.source
        )
        sample = next(samples, None)
    sample_lines = [] if sample is None else [f"Columns and a row: {format_row(sample.cells)}"]
    return FewShotExample(
        Message("user", "\n".join([*sample_lines, format_question(demonstration.question)])),
        Message("assistant", strip_prose(demonstration.query)),
        ("demonstrations", *(["sample row"] if sample_lines else [])),
    )
