"""The repair prompt: it shows the model the problems of its query and asks for a better one.

Validation, name resolution and execution report what is wrong and where; without this report a model mostly
repeats its query. Problems can contain data, so they are quoted like all data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from ..answer import Outcome
from ..language.ast import Problem, excerpt
from ..llm.messages import Message, tokens
from .few_shot import strip_prose
from .prompt import FIXED_PARTS, Prompt, PromptPart, begin_with_schema
from .schema_text import quote_text

RepairMode: TypeAlias = Literal["full", "paper"]

MAX_PROBLEMS, MAX_MESSAGE, MAX_REPLY = 8, 600, 3_000
"""Number of problems, characters of one message, and characters of the reply, at most."""

_OUTCOME_TEXT = {
    "failed": "No query could be read in your reply.",
    "rejected": "Your query cannot be run.",
    "not_askable": "Your query names relations that the data does not have.",
    "empty": "Your query ran and found nothing. If that cannot be the answer, look for it another way.",
    "answered": "Your query ran, and is not what was asked for.",
    "abstained": "Your queries found too many different answers.",
}
_REPAIR_REQUEST = "Write the whole query anew, in the same form."


def repair_prompt(
    prompt: Prompt,
    reply: str,
    problems: Sequence[Problem],
    outcome: Outcome = "rejected",
    repair: RepairMode = "full",
) -> Prompt:
    """Add a round of repair to ``prompt``; over the budget, earlier rounds and demonstrations are removed.

    ``problems`` have positions in ``reply``. The mode ``paper`` shows only the system message, the reply and
    the problems, as in the paper on repair.
    """
    problem_text = _describe_problems(prompt, reply, problems, outcome)
    if repair == "paper":
        return _build_paper_prompt(prompt, reply, problem_text, problems)
    round_messages = (Message("assistant", _shorten_reply(reply)), Message("user", problem_text))
    has_cell_values = any(problem.may_contain_data for problem in problems) and not prompt.private
    text = "\n".join(message.content for message in round_messages)
    repaired = replace(
        prompt,
        messages=(*prompt.messages, *round_messages),
        parts=(*prompt.parts, PromptPart("repair", text, tokens(text))),
        sent=tuple(dict.fromkeys((*prompt.sent, *(["cell values"] * has_cell_values)))),
        rounds=prompt.rounds + 1,
    )
    while repaired.tokens > repaired.budget and (repaired.rounds > 1 or repaired.shots):
        repaired = _shorten_prompt(repaired)
    return repaired


def _build_paper_prompt(
    prompt: Prompt, reply: str, problem_text: str, problems: Sequence[Problem]
) -> Prompt:
    text = f"{_shorten_reply(reply)}\n\n{problem_text}"
    kept_parts = tuple(part for part in prompt.parts if part.name in FIXED_PARTS)
    has_cell_values = any(problem.may_contain_data for problem in problems) and not prompt.private
    return replace(
        prompt,
        messages=(prompt.messages[0], Message("user", text)),
        parts=(*kept_parts, PromptPart("repair", text, tokens(text))),
        sent=tuple(dict.fromkeys((*prompt.sent, *(["cell values"] * has_cell_values)))),
        shots=0,
        rounds=0,
    )


def _shorten_prompt(prompt: Prompt) -> Prompt:
    messages = prompt.messages
    if prompt.rounds > 1:
        begin = len(messages) - 2 * prompt.rounds
        repairs = [n for n, part in enumerate(prompt.parts) if part.name == "repair"]
        parts = tuple(part for n, part in enumerate(prompt.parts) if n != repairs[0])
        kept_messages = messages[:begin] + messages[begin + 2 :]
        return replace(prompt, messages=kept_messages, parts=parts, rounds=prompt.rounds - 1)
    remaining = messages[3 : 1 + 2 * prompt.shots]
    text = "\n".join(message.content for message in remaining)
    parts = tuple(
        PromptPart(part.name, text, tokens(text)) if part.name == "demonstrations" else part
        for part in prompt.parts
        if part.name != "demonstrations" or remaining
    )
    cut = tuple(dict.fromkeys((*prompt.cut, "demonstrations for a repair")))
    sent = (
        prompt.sent
        if remaining
        else tuple(kind for kind in prompt.sent if kind != "demonstrations")
    )
    # The next message of the user takes over the schema.
    first = begin_with_schema(messages[3], prompt.schema)
    kept_messages = (messages[0], first, *messages[4:])
    return replace(
        prompt, messages=kept_messages, parts=parts, cut=cut, sent=sent, shots=prompt.shots - 1
    )


def _describe_problems(
    prompt: Prompt, reply: str, problems: Sequence[Problem], outcome: Outcome
) -> str:
    lines = [_OUTCOME_TEXT[outcome]]
    for number, problem in enumerate(problems[:MAX_PROBLEMS], 1):
        where = "" if problem.step is None else f", step {problem.step}"
        is_hidden = prompt.private and problem.may_contain_data
        message = "" if is_hidden else f": {quote_text(problem.message, MAX_MESSAGE)}"
        lines.append(f"{number}. {problem.kind}{where}{message}")
        if problem.position is not None:
            lines += [f"   {line}" for line in excerpt(reply, problem.position).splitlines()]
    if len(problems) > MAX_PROBLEMS:
        lines.append(f"({len(problems) - MAX_PROBLEMS} more problems)")
    return "\n".join([*lines, _REPAIR_REQUEST])


def _shorten_reply(reply: str) -> str:
    """Keep the steps of a reply, and only the end if it is too long, since the query comes last."""
    steps = strip_prose(reply) or "(nothing)"
    return steps if len(steps) <= MAX_REPLY else f"…{steps[-MAX_REPLY:]}"
