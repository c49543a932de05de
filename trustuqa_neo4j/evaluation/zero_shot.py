"""Zero-shot baselines of the second paper: a model writes SQL or SPARQL from a schema and a question.

The query runs as it is (``none``); one that fails or finds nothing is asked for again without a reason
(``blind``); or one that cannot run or does not fit the ontology is sent back with the reasons, without
question and schema, until it does or is given up as unknown (``check``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeAlias

from ..answer import Answer
from ..deadline import Deadline
from ..errors import StatementFailed, TimedOut
from ..language.ast import Problem
from ..llm.budget import Meter
from ..llm.client import Model
from ..llm.messages import Message
from ..llm.parameters import ModelParameters
from ..prompts.repair import MAX_MESSAGE, MAX_PROBLEMS
from ..prompts.schema_text import quote_text
from ..questions.batch import failed
from ..questions.context import DRAW, QuestionTrace
from .benchmark import Case
from .query_engines import QueryEngine

QueryRepair: TypeAlias = Literal["none", "blind", "check"]

_PROMPT = """\
{engine.schema}

The data described above can be queried in {engine.dialect}. Which single query answers this question?

{question}

Reply with that query alone: it is run exactly as you write it."""

# What is asked for again.
_FAULTY: Mapping[QueryRepair, Sequence[str]] = {
    "none": (),
    "blind": ("failed", "empty"),
    "check": ("rejected",),
}

_REPAIR_PROMPT = """\
Something is wrong with this query in {engine.dialect}:

{query}

{problems}

Change it so that nothing of this remains. Reply with the new query alone."""

_FENCE = re.compile(r"```[ \t]*\w*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class ZeroShot:
    """Answers questions with queries of ``model``, and runs recorded queries."""

    engine: QueryEngine
    repair: QueryRepair = "none"
    model: Model | None = None
    retries: int = 0
    parameters: ModelParameters = field(default_factory=ModelParameters)

    def answer(self, case: Case, seconds: float) -> Answer:
        """Run the query of a case; without one, ask for queries, at most ``retries`` times again.

        Raises:
            ModelError
        """
        trace, meter, deadline = QuestionTrace(), Meter(), Deadline(seconds)
        if case.query:
            return trace.finish(self._run(case.query, deadline, trace))
        prompt = _PROMPT.format(engine=self.engine, question=case.question)
        queries: list[str] = []
        while True:
            try:
                query = self._ask(prompt, len(queries), deadline, meter)
            except TimedOut as error:
                answer = failed(error)
                break
            trace.add("complete", prompt, query)
            answer = self._run(query, deadline, trace)
            queries.append(query)
            if (
                (self.repair == "check" and queries.count(query) > 1)
                or len(queries) > self.retries
                or answer.outcome not in _FAULTY[self.repair]
            ):
                break
            problems = list_problems(answer.problems)
            trace.add("repair", query, problems)
            if self.repair == "check":
                prompt = _REPAIR_PROMPT.format(engine=self.engine, query=query, problems=problems)
        return trace.finish(
            answer,
            question=case.question,
            llm_query=queries[-1] if queries else None,
            origin="model",
            usage=asdict(meter.used),
        )

    def _ask(self, prompt: str, asked: int, deadline: Deadline, meter: Meter) -> str:
        assert self.model is not None, "only questions to a model are asked"
        # The same prompt is sent blindly again: the reply must be another draw, not that of the cache.
        draw = DRAW + asked if self.repair == "blind" else DRAW
        completion = self.model.complete(
            (Message("user", prompt),),
            timeout=deadline.left(),
            draw=draw,
            parameters=self.parameters,
            meter=meter,
        )
        return read_query(completion.texts[0])

    def _run(self, query: str, deadline: Deadline, trace: QuestionTrace) -> Answer:
        try:
            problems = self.engine.check_query(query) if self.repair == "check" else ()
            table = None if problems else self.engine.run_query(query, deadline.left())
        except (StatementFailed, TimedOut) as error:
            trace.add("execute", query, error.what)
            if self.repair == "check" and isinstance(error, StatementFailed):
                return replace(failed(error), outcome="rejected")
            return failed(error)
        trace.add("execute", query, f"{len(table.rows) if table else 'no'} rows")
        if table is None:
            return Answer("rejected", problems=problems)
        values = dict.fromkeys(cell for row in table.rows for cell in row if cell is not None)
        return Answer(
            "answered" if table.rows else "empty", tuple(values), table.columns, table.rows
        )


def list_problems(problems: Sequence[Problem]) -> str:
    return "\n".join(
        f"{number}. {problem.kind}: {quote_text(problem.message, MAX_MESSAGE)}"
        for number, problem in enumerate(problems[:MAX_PROBLEMS], 1)
    )


def read_query(reply: str) -> str:
    """Return the query of a reply: what is in its first fence, or all of it; never empty."""
    fence = _FENCE.search(reply)
    return (fence[1] if fence else reply).strip() or "(nothing)"
