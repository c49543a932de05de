"""What of an answer is shown to people, in which order and in which words; drawn by ``showing``.

The answer first, then what keeps it from being sure, then the facts that prove it, then how it was found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..language.query import Problem, excerpt
from ..showing.blocks import Block, Grid, Item, Lines, Outline
from ..showing.plain import one_line
from .answer import Answer
from .proof import Evidence, Sent, Stage

SHOWN = 20
"""Values or rows shown of a long answer."""

_LONGEST = 400
"""Characters shown of what went into a stage, or came out of it."""

_MEMBERS = 5
"""Members shown of a long parameter."""

_SAID = re.compile(r"^[^\w\n]*step[ \t*_#]*(\d{1,9})[ \t*_]*[:.)][ \t*_]*(\S[^\n]*)", re.I | re.M)


def layout(
    answer: Answer,
    *,
    question: bool = False,
    why: bool = False,
    explain: bool = False,
    rest: str = "",
) -> tuple[Block, ...]:
    """The blocks of ``answer``; ``rest`` says where all of a long one can be seen.

    Its ``question`` comes first where nobody has just written it. With ``why`` come the demonstration that
    was followed and the steps, with ``explain`` all stages and the statements that they sent.
    """
    blocks = [
        *([Lines("question", (answer.question,))] if question and answer.question else ()),
        *_answered(answer, rest),
        *_doubts(answer),
        *_facts(answer),
        *((*_followed(answer), *_steps(answer)) if why else ()),
        *(_stages(answer) if explain else ()),
    ]
    return tuple(blocks)


def _answered(answer: Answer, rest: str) -> Iterator[Block]:
    if answer.outcome == "abstained" and answer.values:
        # Not as an answer, which it is not.
        best = ", ".join(map(str, answer.values[:SHOWN]))
        yield Lines("outcome", ("abstained", f"the most votes were for: {best}"))
        return
    if answer.rows is not None and answer.columns is not None and len(answer.columns) > 1:
        rows = tuple(tuple(map(str, row)) for row in answer.rows[:SHOWN])
        more = _more(len(answer.rows), "more rows", rest or "rows has all")
        yield Grid(answer.columns, rows, more=more)
    elif answer.values:
        values = tuple(map(str, answer.values[:SHOWN]))
        yield Lines(
            "answer", values, more=_more(len(answer.values), "more", rest or "values has all")
        )
    if answer.outcome != "answered":
        yield Lines("outcome", (answer.outcome.replace("_", " "),))
    if answer.truncated is not None:
        yield Lines("note", (f"… not all: there are {answer.truncated:,}",))


def _more(size: int, more: str, rest: str) -> str:
    return f"… {size - SHOWN:,} {more} ({rest})" if size > SHOWN else ""


def _doubts(answer: Answer) -> Iterator[Block]:
    """What may be wrong, or was read otherwise than it was written."""
    notes = []
    if answer.confidence is not None:
        notes.append(_confidence(answer.confidence, answer.samples))
    if not answer.grounded:
        notes.append("not by the data alone: a model judged values that came from it")
    notes += [f"{m.given!r} was read as {m.used!r} ({m.how})" for m in answer.mapped]
    if answer.sent:
        notes.append(f"sent to the model: {', '.join(answer.sent)}")
    if answer.problems:
        query = query_of(answer)
        yield Lines("problem", tuple(described(problem, query) for problem in answer.problems))
    if answer.hints:
        title = "could be asked:" if answer.outcome == "not_askable" else ""
        yield Lines("hint", answer.hints, title=title)
    if notes:
        yield Lines("note", tuple(notes))


def _confidence(confidence: float, samples: int | None) -> str:
    if samples is None:
        return f"confidence {confidence:.2f}"
    won = round(confidence * samples)
    return f"confidence {confidence:.2f} ({won} of {samples} {'sample' if samples == 1 else 'samples'})"


def query_of(answer: Answer) -> str:
    """The text that was parsed, to which positions of problems refer; empty where there was none."""
    if answer.llm_query is not None:
        return answer.llm_query
    return next((stage.given for stage in answer.trace if stage.stage == "parse"), "")


def described(problem: Problem, query: str) -> str:
    """A problem for people: kind, message, step, and the place in the query with a caret."""
    step = "" if problem.step is None else f" (step {problem.step})"
    text = f"{problem.kind}: {problem.message}{step}"
    if problem.position is None or not query:
        return text
    place = excerpt(query, problem.position)
    return text + "\n" + "\n".join(f"  {line}" for line in place.splitlines())


def _facts(answer: Answer) -> Iterator[Block]:
    if not answer.evidence:
        return
    shown, total = len(answer.evidence), answer.evidence_total
    title = "fact" if total == 1 else "facts"
    title += f" ({shown} of {total:,})" if shown < total else ""
    columns = ("from", "relation", "to", "where")
    yield Grid(columns, tuple(map(_fact, answer.evidence)), title=title, headed=False)


def _fact(fact: Evidence) -> tuple[str, ...]:
    tail = fact.tail
    if fact.start is not None or fact.end is not None:
        tail += f" [{fact.start or '…'} – {fact.end or '…'}]"
    return fact.head, fact.relation, tail, f"{fact.dataset}, {fact.file}:{fact.line}"


def _followed(answer: Answer) -> Iterator[Block]:
    """The demonstration after which the query was made, where one was."""
    for stage in answer.trace:
        if stage.stage == "follow":
            said = (one_line(stage.given, _LONGEST), one_line(stage.found, _LONGEST))
            yield Lines("note", said, title="after the demonstration:")


def _steps(answer: Answer) -> Iterator[Block]:
    """The query's steps, each with what the model said that it is for."""
    said = {int(number): text.strip() for number, text in _SAID.findall(query_of(answer))}
    items = tuple(
        _step(stage, said.get(stage.step, "")) for stage in answer.trace if stage.step is not None
    )
    if items:
        yield Outline("step" if len(items) == 1 else "steps", items)


def _step(stage: Stage, said: str) -> Item:
    found = stage.found.removeprefix(f"step {stage.step}: ")
    label = one_line(f"{stage.step}. {said}".strip(), _LONGEST)
    return Item(label, one_line(stage.given, _LONGEST), _found(found, stage.members))


def _stages(answer: Answer) -> Iterator[Block]:
    items = tuple(
        Item(
            f"{stage.stage}  {stage.ms:.2f} ms",
            one_line(stage.given, _LONGEST),
            _found(stage.found, stage.members),
            tuple(map(_statement, stage.sent)),
        )
        for stage in answer.trace
    )
    if answer.usage:
        yield Lines("note", (f"used: {_usage(answer.usage)}",))
    if items:
        yield Outline("stages", items, spaced=True)


def _usage(usage: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {n:,}" if isinstance(n, (int, float)) else f"{name} {n}"
        for name, n in usage.items()
        if n is not None
    )


def _found(found: str, members: tuple[str, ...]) -> str:
    return one_line(found + (f": {', '.join(members)}" if members else ""), _LONGEST)


def _statement(sent: Sent) -> str:
    parameters = {name: _members(value) for name, value in sent.parameters.items()}
    written = json.dumps(parameters, ensure_ascii=False)
    return f"{sent.statement}.cypher {written}: {sent.rows} rows, {sent.ms:.2f} ms"


def _members(value: Any) -> Any:
    if isinstance(value, list) and len(value) > _MEMBERS:
        return [*value[:_MEMBERS], f"… {len(value) - _MEMBERS:,} more"]
    return value
