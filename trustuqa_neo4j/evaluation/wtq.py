"""Benchmark WikiTableQuestions: recorded queries, each over the table of its example.

*core* queries use only the functions of the paper, and each order comparison has a bound with a digit, a
reference, ``most`` or ``least``. *other* queries use functions that the published code sends to an LLM. The
text of the query alone decides the group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..answer import Value
from ..language.functions import FUNCTIONS
from ..language.signatures import Trait
from ..model.demonstration import Demonstration
from . import metrics, packs
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, Scores, score_values
from .packs import PackRecord

_PAPER = {"average", *(f.name for f in FUNCTIONS if Trait.PUBLISHED in f.traits)}
_STEP = re.compile(r"\s*Query\s*\d+\s*[:：]\s*(.*)")
_CALL = re.compile(r"""["'`]*([A-Za-z_]\w*)\s*\(""")
_BOUND = re.compile(r"(?:<=|>=|[<>≤≥])([^,)]*)")
_ALLOWED_BOUND = re.compile(r"\d|output_of")
EXPRESSION = "(an expression)"


def prepare(folder: Path, file: Path | None) -> CaseSet:
    records = packs.read_records(file or packs.find_file(folder, "llm_queries.jsonl"))
    return CaseSet.collect(map(_make_case, records), score_values(score))


def ask(folder: Path) -> QuestionSet:
    cases = [
        Case(
            record.text("id"),
            record.text("question"),
            "",
            record.texts("answers"),
            "test",
            record.text("table"),
        )
        for record in packs.read_records(packs.find_file(folder, "questions.test.jsonl"))
    ]
    demonstrations = (
        Demonstration(case.question, case.query, case.labels, case.source)
        for case in prepare(folder, None).cases
    )
    return QuestionSet(CaseSet(tuple(cases), score_values(score)), tuple(demonstrations))


def ask_untaught(folder: Path) -> QuestionSet:
    return QuestionSet(ask(folder).prepared, recorded=prepare(folder, None))


def score(case: Case, values: Sequence[Value]) -> Scores:
    return {"denotation": metrics.matches_denotation(case.labels, values)}


def list_invented(query: str) -> tuple[str, ...]:
    # None for *core*. A last step that is cut off before its call is ignored.
    names: dict[str, None] = {}
    for line in query.split("\n"):
        step = _STEP.match(line)
        text = step[1].strip() if step else ""
        if not text.strip("\"'` "):
            continue
        call = _CALL.match(text)
        name = call[1] if call else EXPRESSION
        if name not in _PAPER and not name.startswith("set_"):
            names[name] = None
            continue
        for match in _BOUND.findall(text):
            bound = match.strip("\"' ")
            if bound not in ("most", "least") and not _ALLOWED_BOUND.search(bound):
                names[f"(bound) {bound}"] = None
    return tuple(names)


def _make_case(record: PackRecord) -> Case | str:
    query, question = record.optional("llm_output"), record.text("question")
    examples = record.records("examples")
    if query is None:
        return "no query recorded"
    if not examples:
        return "no table named"
    if len({example.text("table") for example in examples}) > 1:
        return "asked of several tables"
    example = examples[0]
    invented = list_invented(query)
    return Case(
        example.text("id"),
        question,
        query,
        example.texts("answers"),
        "other" if invented else "core",
        example.text("table"),
        invented,
    )


BENCHMARK = Benchmark(
    "wtq", "wtq", "wikitablequestions", ("denotation",), prepare, ask,
    untaught=Benchmark(
        "wtq", "wtq", "wikitablequestions", ("denotation",), prepare, ask_untaught
    ),
)  # fmt: skip
