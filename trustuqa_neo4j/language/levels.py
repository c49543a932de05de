"""What is open at a place of a step: brackets, and conditions whose cases are still to come."""

from __future__ import annotations

from dataclasses import dataclass, field

from .signs import BRACKETS

DEEPEST = 50
"""What is nested deeper than this is no query, and everything behind would recurse with it."""


class Unreadable(Exception):
    """Nothing can be read at ``position``; ``kind`` is that of the problem to report."""

    def __init__(self, message: str, position: int, kind: str = "unreadable") -> None:
        self.message = message
        self.position = position
        self.kind = kind
        super().__init__(message, position, kind)


@dataclass
class Level:
    """Inside one bracket, or outside all: of a call, of ``if(…)``, of a list or none of them.

    ``waiting`` are the cases that the open conditions wait for, innermost last. ``signs`` and ``within``
    bound how deep the part is nested that is being read, ``deepest`` those before it.
    """

    bracket: str = ""
    call: bool = False
    cases: bool = False
    listing: bool = False
    waiting: list[str] = field(default_factory=list)
    parameter: str = ""
    named: bool = False
    parts: int = 1
    decided: bool = False
    signs: int = 0
    within: int = 0
    deepest: int = 0

    def depth(self) -> int:
        """How deep what was read at this level is nested."""
        return max(self.deepest, self.signs + self.within)


@dataclass
class Levels:
    """All levels that are open, the outermost first; ``conditional``: whether any condition stood there."""

    stack: list[Level] = field(default_factory=lambda: [Level()])
    conditional: bool = False

    @property
    def here(self) -> Level:
        """The innermost."""
        return self.stack[-1]

    @property
    def depth(self) -> int:
        """How many brackets are open."""
        return len(self.stack) - 1

    @property
    def brackets(self) -> list[str]:
        """The open brackets."""
        return [level.bracket for level in self.stack[1:]]

    def open(self, bracket: str, before: str, position: int) -> str:
        """Open ``bracket`` behind a token of type ``before``; the type of token that it is."""
        if self.depth == DEEPEST:
            raise Unreadable(f"brackets are nested deeper than {DEEPEST}", position)
        listing = bracket in "[{"
        call, cases = before == "FUNCTION" and not listing, before == "IF" and not listing
        self.stack.append(Level(bracket, call or cases, cases, listing, ["THEN"] if cases else []))
        if listing:
            return "LSQB"
        return "_LPAR" if call else "LPAR"

    def close(self, bracket: str, position: int) -> None:
        """Close the innermost bracket; one too many is left to the grammar."""
        if not self.depth:
            return
        closers = BRACKETS[self.here.bracket]
        if bracket not in closers:
            raise Unreadable(f"expected {closers[0]}", position)
        closed = self.stack.pop()
        # "if(a, b, c)" is whole; behind "if (a)" the cases are still to come.
        if closed.cases and (closed.parts > 1 or closed.decided) and self.here.waiting:
            self.here.waiting.pop()
        self.nest(closed.depth() + 1, position)

    def nest(self, depth: int, position: int) -> None:
        """Note that what stands here holds something nested ``depth`` levels deep."""
        self.here.within = max(self.here.within, depth)
        self._bound(position)

    def add_sign(self, position: int) -> None:
        """Note a sign that joins two values."""
        self.here.signs += 1
        self._bound(position)

    def _bound(self, position: int) -> None:
        if self.here.depth() > DEEPEST:
            message = f"an expression of more than {DEEPEST} parts; give some a step of their own"
            raise Unreadable(message, position)

    def next_part(self) -> None:
        """Go to the next argument or member."""
        here = self.here
        here.deepest = here.depth()
        here.signs = here.within = 0
        here.parts += 1
        here.parameter = ""
        if here.cases and here.waiting:
            here.waiting.clear()

    def wait_for(self, case: str) -> None:
        """Note that a condition began that waits for ``case``."""
        self.conditional = True
        self.here.waiting.append(case)

    def case(self) -> None:
        """Go on behind the sign that was waited for."""
        here = self.here
        here.decided |= (
            here.cases and len(here.waiting) == 1
        )  # of the bracket's own, not one within
        if here.waiting.pop() == "THEN":
            here.waiting.append("ELSE")
