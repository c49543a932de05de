"""What a model is told of a query of its own that did not do, so that it writes a better one.

The check, the mapping and the run already know what was wrong and where; a model told so mends most of it,
one that is only asked again repeats itself. Problems are data as far as they name cells and relations, so
they stand in double quotes like all else that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from ...answer import Outcome
from ...language.query import Problem, excerpt
from ..messages import Message
from ..tokens import tokens
from .prompt import Part, Prompt
from .quoting import quoted
from .shots import bare

Repair: TypeAlias = Literal["full", "paper"]
"""What a model is shown of a bad query of its own."""

PROBLEMS, LONGEST_MESSAGE, LONGEST_REPLY = 8, 600, 3_000
"""Problems that are told, and characters of one, and of the reply, at most."""

_SAID = {
    "failed": "No query could be read in your reply.",
    "rejected": "Your query cannot be run.",
    "not_askable": "Your query names relations that the data does not have.",
    "empty": "Your query ran and found nothing. If that cannot be the answer, look for it another way.",
    "answered": "Your query ran, and is not what was asked for.",
    "abstained": "Your queries found too many different answers.",
}
_AGAIN = "Write the whole query anew, in the same form."

_OF_THE_QUERY = frozenset({
    "direction", "domain", "domain-range", "double domain", "double range", "identifier output",
    "missing parameter", "nested too deep", "no table", "repeated parameter", "table", "unknown class",
    "unknown column",
    "unknown combination", "unknown function", "unknown name", "unknown operator", "unknown parameter",
    "unknown reference", "unknown relation", "unreadable", "wrong number",
})  # fmt: skip
"""Kinds of problems whose messages speak of the query and the schema alone, and of no values."""


def again(
    before: Prompt,
    reply: str,
    problems: Sequence[Problem],
    outcome: Outcome = "rejected",
    repair: Repair = "full",
) -> Prompt:
    """``before``, what came of it, and what was wrong with that; earlier rounds go where it gets too long.

    ``problems`` have positions in ``reply``. Of several rounds each is added to the one before. As the
    ``paper`` on repair has it, neither question nor schema are shown, nor earlier rounds.
    """
    told = _told(before, reply, problems, outcome)
    if repair == "paper":
        return _alone(before, reply, told, problems)
    round_ = (Message("assistant", _shortened(reply)), Message("user", told))
    spoken = any(not _of_the_query(problem) for problem in problems) and not before.private
    text = "\n".join(message.content for message in round_)
    made = replace(
        before,
        messages=(*before.messages, *round_),
        parts=(*before.parts, Part("repair", text, tokens(text))),
        sent=tuple(dict.fromkeys((*before.sent, *(["cell values"] * spoken)))),
        rounds=before.rounds + 1,
    )
    while made.tokens > made.budget and (made.rounds > 1 or made.shots):
        made = _shorter(made)
    return made


def _alone(before: Prompt, reply: str, told: str, problems: Sequence[Problem]) -> Prompt:
    """The system's message, the query and what is wrong with it."""
    text = f"{_shortened(reply)}\n\n{told}"
    own = tuple(part for part in before.parts if part.name in ("instruction", "functions"))
    spoken = any(not _of_the_query(problem) for problem in problems) and not before.private
    return replace(
        before,
        messages=(before.messages[0], Message("user", text)),
        parts=(*own, Part("repair", text, tokens(text))),
        sent=tuple(dict.fromkeys((*before.sent, *(["cell values"] * spoken)))),
        shots=0,
        rounds=0,
    )


def _shorter(made: Prompt) -> Prompt:
    """Without its first round; of one round, without its least similar demonstration."""
    messages = made.messages
    if made.rounds > 1:
        begin = len(messages) - 2 * made.rounds
        repairs = [n for n, part in enumerate(made.parts) if part.name == "repair"]
        parts = tuple(part for n, part in enumerate(made.parts) if n != repairs[0])
        kept = messages[:begin] + messages[begin + 2 :]
        return replace(made, messages=kept, parts=parts, rounds=made.rounds - 1)
    left = messages[3 : 1 + 2 * made.shots]
    text = "\n".join(message.content for message in left)
    parts = tuple(
        Part(part.name, text, tokens(text)) if part.name == "demonstrations" else part
        for part in made.parts
        if part.name != "demonstrations" or left
    )
    cut = tuple(dict.fromkeys((*made.cut, "demonstrations for a repair")))
    sent = made.sent if left else tuple(kind for kind in made.sent if kind != "demonstrations")
    kept = messages[:1] + messages[3:]
    return replace(made, messages=kept, parts=parts, cut=cut, sent=sent, shots=made.shots - 1)


def _told(before: Prompt, reply: str, problems: Sequence[Problem], outcome: Outcome) -> str:
    lines = [_SAID[outcome]]
    for number, problem in enumerate(problems[:PROBLEMS], 1):
        where = "" if problem.step is None else f", step {problem.step}"
        silent = before.private and not _of_the_query(problem)
        message = "" if silent else f": {quoted(problem.message, LONGEST_MESSAGE)}"
        lines.append(f"{number}. {problem.kind}{where}{message}")
        if problem.position is not None:
            lines += [f"   {line}" for line in excerpt(reply, problem.position).splitlines()]
    if len(problems) > PROBLEMS:
        lines.append(f"({len(problems) - PROBLEMS} more problems)")
    return "\n".join([*lines, _AGAIN])


def _of_the_query(problem: Problem) -> bool:
    return problem.kind in _OF_THE_QUERY


def _shortened(reply: str) -> str:
    """The steps of a reply; the end of one that is too long, where they would stand."""
    said = bare(reply) or "(nothing)"
    return said if len(said) <= LONGEST_REPLY else f"…{said[-LONGEST_REPLY:]}"
