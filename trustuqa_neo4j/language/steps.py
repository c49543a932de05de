"""Where in a text the steps stand, whatever stands around them: prose, thinking, fences, Markdown.

A line that begins with ``QueryN:`` is a step, whatever follows; elsewhere in a line only if a call
follows, since prose mentions queries. ``StepN:`` counts where a call follows at once and no ``QueryN:``
has that number. What a model thinks aloud is not part of its answer: drafts of steps stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .closing import CALLED
from .signs import QUOTE_SIGNS, QUOTES, REFERENCE, WORD

_BEFORE = r"(?<![^\W_])(?<!_of_)"
_BEHIND = r"[ \t*_`\"')#]*[:：=](?!=)(?:_{1,3}(?![\w(]))?[ \t*]*"
_QUERY = re.compile(rf"{_BEFORE}query[ \t*_#]*(\d{{1,9}}){_BEHIND}", re.IGNORECASE)
_STEP = re.compile(
    rf"{_BEFORE}step[ \t*_#]*(\d{{1,9}}){_BEHIND}(?=[{QUOTE_SIGNS}\s*]{{0,8}}{CALLED})",
    re.IGNORECASE,
)
_CALL_FOLLOWS = re.compile(rf"[{QUOTE_SIGNS}\s*_\\]{{0,8}}{WORD}\s*[(（]")
_UNLABELLED = re.compile(
    rf"^[{QUOTE_SIGNS} \t>*.\d-]*(?={CALLED})|\A\s*(?={WORD}\s*\()", re.IGNORECASE | re.MULTILINE
)
_OPENING = re.compile(rf"\s*(?:```[^\n`]*\n)?[{QUOTE_SIGNS}\s*\\]*")
_BEGINS = re.compile(
    rf"{WORD}[.\w]*\s*[(（]|if(?:\b|_)|{REFERENCE}|[\[({{（\d]|\W|\Z", re.IGNORECASE
)
_OVER = re.compile(r"^[ \t>*_-]*(?:step[ \t]*\d+[ \t]*\W|#|```)", re.IGNORECASE | re.MULTILINE)
_THINKING = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TARGET = re.compile(
    r"^[^\w\n]*target[ \t]+type[^\w\n]*[:：]([^\n]*)", re.IGNORECASE | re.MULTILINE
)
_MARKUP = " \t\r>*_#`\"'-{(.)0123456789"
_QUOTED = re.compile(r"^(['\"])([^'\"]*)\1$")
_COLUMN = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Region:
    """A step's number and where its call may stand: from ``start``, at most up to ``end``.

    ``quoted`` says whether quotes stand before the call, ``limit`` is where the next step begins.
    """

    number: int
    start: int
    end: int
    limit: int
    quoted: bool


def find(text: str) -> tuple[Region, ...]:
    """The regions of all steps in ``text``, as they stand there."""
    queries = [m for m in _QUERY.finditer(text) if _counts(text, m)]
    numbers = {int(m[1]) for m in queries}
    steps = [m for m in _STEP.finditer(text) if int(m[1]) not in numbers]
    labels = sorted((m.start(), m.end(), int(m[1])) for m in [*queries, *steps])
    if not labels and (call := _UNLABELLED.search(text)):
        labels = [(call.start(), call.end(), 1)]
    limits = [start for start, _, _ in labels[1:]] + [len(text)] * bool(labels)
    return tuple(
        _region(text, number, begin, limit)
        for (_, begin, number), limit in zip(labels, limits, strict=True)
    )


def _counts(text: str, label: re.Match[str]) -> bool:
    """Whether ``label`` is a step's, and no mention of a query in prose."""
    before = text[max(0, label.start() - 16) : label.start()]
    line = before.rpartition("\n")[2]
    begins = len(line) < len(before) or len(before) == label.start()
    return (begins and not line.strip(_MARKUP)) or bool(_CALL_FOLLOWS.match(text, label.end()))


def _region(text: str, number: int, begin: int, limit: int) -> Region:
    opening = _OPENING.match(text, begin, limit)
    assert opening is not None  # it may be empty
    start = opening.end()
    # The last quote belongs to a name where no call and no expression begins behind it.
    if text[start - 1 : start] in QUOTES and not _BEGINS.match(text, start, limit):
        start -= 1 + (text[start - 2 : start - 1] == "\\")
    over = _OVER.search(text, start, limit)
    end = over.start() if over else limit
    marks = ">*_#-" if over or limit < len(text) else ""  # those before the next label are its own
    while end > start and (text[end - 1].isspace() or text[end - 1] in marks):
        end -= 1
    return Region(number, start, end, limit, any(c in QUOTES for c in text[begin:start]))


def without_thinking(text: str) -> str:
    """``text`` with what was thought aloud as spaces, so that positions stay as they are.

    Where a closing tag comes first, the opening one stood in the prompt; thoughts that do not end go on to
    the end of the text.
    """
    kept: list[str] = []
    at = 0
    for begin, end in _thoughts(text):
        kept += [text[at:begin], " " * (end - begin)]
        at = end
    return "".join([*kept, text[at:]])


def unended_thought(text: str) -> int | None:
    """Where thoughts begin that do not end, or None."""
    tags = list(_THINKING.finditer(text))
    return tags[-1].start() if tags and not tags[-1][1] else None


def _thoughts(text: str) -> Iterator[tuple[int, int]]:
    tags = list(_THINKING.finditer(text))
    begun = 0 if tags and tags[0][1] else None
    for tag in tags:
        if tag[1] and begun is not None:
            yield begun, tag.end()
            begun = None
        elif not tag[1] and begun is None:
            begun = tag.start()
    if begun is not None:
        yield begun, len(text)


def target(text: str) -> tuple[str, ...]:
    """The columns that ``## Target type: {a, b}`` names; none where it does not stand."""
    line = _TARGET.search(text)
    if line is None:
        return ()
    names = ",".join(_COLUMN.findall(line[1])) or line[1]
    columns = (_QUOTED.sub(r"\2", name.strip(" \t\r*_`{}")) for name in names.split(","))
    return tuple(name for name in columns if name)
