"""WikiTableQuestions: recorded queries, each asked of the one table of its example.

*core* are the queries that only use what the paper has: every step begins with one of its functions, and
each order comparison has a bound with a digit, a reference, ``most`` or ``least``. *other* are those where
the published code mostly asked an LLM. Both are told apart by the text alone, never by what the engine
makes of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..answer import Value
from ..demonstrating.demonstration import Demonstration
from . import denotation, packs
from .benchmark import Asked, Benchmark, Case, Prepared, Scores, by_values
from .packs import Record

_PAPER = frozenset(
    ("get_information", "count", "max", "min", "mean", "average", "sum", "previous_row", "next_row", "keep")
)  # fmt: skip
_STEP = re.compile(r"\s*Query\s*\d+\s*[:：]\s*(.*)")
_CALL = re.compile(r"""["'`]*([A-Za-z_]\w*)\s*\(""")
_BOUND = re.compile(r"(?:<=|>=|[<>≤≥])([^,)]*)")
_TELLING = re.compile(r"\d|output_of")
EXPRESSION = "(an expression)"


def prepare(folder: Path, file: Path | None) -> Prepared:
    """The recorded queries that are asked of one table only.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    cases: list[Case] = []
    left_out: Counter[str] = Counter()
    for record in packs.records(file or packs.one(folder, "llm_queries.jsonl")):
        made = _case(record)
        if isinstance(made, str):
            left_out[made] += 1
        else:
            cases.append(made)
    return Prepared(tuple(cases), by_values(score), left_out)


def ask(folder: Path) -> Asked:
    """The official test questions; recorded queries of training questions of one table demonstrate.

    Raises:
        MissingFile, UnreadableFile, MalformedLine
    """
    cases = [
        Case(
            record.text("id"),
            record.text("question"),
            "",
            record.texts("answers"),
            "test",
            record.text("table"),
        )
        for record in packs.records(packs.one(folder, "questions.test.jsonl"))
    ]
    taught = (
        Demonstration(case.question, case.query, case.labels, case.source)
        for case in prepare(folder, None).cases
    )
    return Asked(Prepared(tuple(cases), by_values(score)), tuple(taught))


def score(case: Case, values: Sequence[Value]) -> Scores:
    """Denotation accuracy."""
    return {"denotation": denotation.right(case.labels, values)}


def invented(query: str) -> tuple[str, ...]:
    """What ``query`` uses that the paper does not have, as names for the summary; nothing in *core*.

    A last step that was cut off before it says anything counts as neither.
    """
    found: dict[str, None] = {}
    for line in query.split("\n"):
        step = _STEP.match(line)
        said = step[1].strip() if step else ""
        if not said.strip("\"'` "):
            continue
        call = _CALL.match(said)
        name = call[1] if call else EXPRESSION
        if name not in _PAPER and not name.startswith("set_"):
            found[name] = None
            continue
        for text in _BOUND.findall(said):
            bound = text.strip("\"' ")
            if bound not in ("most", "least") and not _TELLING.search(bound):
                found[f"(bound) {bound}"] = None
    return tuple(found)


def _case(record: Record) -> Case | str:
    """The case of a record, or why there is none."""
    query, question = record.optional("llm_output"), record.text("question")
    examples = record.records("examples")
    if query is None:
        return "no query recorded"
    if not examples:
        return "no table named"
    if len({example.text("table") for example in examples}) > 1:
        return "asked of several tables"
    example = examples[0]
    used = invented(query)
    return Case(
        example.text("id"),
        question,
        query,
        example.texts("answers"),
        "other" if used else "core",
        example.text("table"),
        used,
    )


BENCHMARK = Benchmark("wtq", "wtq", "wikitablequestions", ("denotation",), prepare, ask)
