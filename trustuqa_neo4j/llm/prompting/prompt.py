"""Everything put together into messages, cut to what the model may be sent.

What is our own is the system's message, what comes from outside are messages of the user. Over the budget
the least similar demonstration goes first, then the relations least like the question, then samples,
then facts near linked names; instruction and question never do. The schema may take half of the budget,
so that a graph of thousands of relations does not cost every demonstration. The same input gives the same
bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...errors import PromptTooLong
from ..messages import Message, Role
from ..tokens import MESSAGE, tokens
from .asked import Asked, Ranked
from .describing import Fragment, Shown, described
from .instruction import functions, instruction
from .shots import Shot, question, shots

VERSION = "1"
"""Changes with the wording, so that figures say which prompt they were reached with."""

FEW = 10
"""Relations that stay while samples go."""

_ORDER = ("instruction", "functions", "schema", "sample", "linked", "demonstrations", "question")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a prompt, under its name: its text and how many tokens it takes."""

    name: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages for a model, and what they are made of.

    ``sent`` are the kinds of data in them, for the privacy report; ``cut`` says what was left out to keep
    within the ``budget``. The messages are the system's, two for each of ``shots`` demonstrations with the
    most similar last, the user's, and two for each of ``rounds`` of repair.
    """

    messages: tuple[Message, ...]
    parts: tuple[Part, ...]
    sent: tuple[str, ...]
    cut: tuple[str, ...]
    budget: int
    private: bool
    shots: int = 0
    rounds: int = 0

    @property
    def tokens(self) -> int:
        """How many tokens all of it takes, rather too many than too few."""
        return sum(MESSAGE + tokens(message.content) for message in self.messages)

    def __str__(self) -> str:
        """The messages as a person reads them, each under who says it; then what kinds of data they hold."""
        said = "\n\n".join(f"[{m.role}]\n{m.content}" for m in self.messages)
        kinds = ", ".join(self.sent) or "none"
        left_out = f"; left out: {', '.join(self.cut)}" if self.cut else ""
        return f"{said}\n\n[{self.tokens:,} tokens; data: {kinds}{left_out}]"


def prompt(asked: Asked) -> Prompt:
    """What a model is told so that it writes the query for a question.

    Raises:
        PromptTooLong: instruction and question alone take more than the budget.
    """
    ranked = asked.ranked()
    every = shots(asked)
    whole = Shown(len(every), len(ranked))
    made = _Made(asked, ranked, every)
    lesser = (made.prompt(shown, whole) for shown in _lesser(made, whole))
    most = next(lesser)
    if most.tokens <= asked.budget:
        return most
    least = made.prompt(Shown(0, 0, samples=False, linked=False), whole)
    if least.tokens > asked.budget:
        raise PromptTooLong(
            f"the prompt takes at least {least.tokens:,} tokens, of {asked.budget:,} allowed",
            where=f"{tokens(asked.question):,} of them are the question's",
            hint="shorten the question, or allow more tokens",
        )
    return next((built for built in lesser if built.tokens <= asked.budget), least)


@dataclass(frozen=True, slots=True)
class _Made:
    """What all attempts at one prompt share."""

    asked: Asked
    ranked: Sequence[Ranked]
    shots: Sequence[Shot]

    def schema(self, shown: Shown) -> list[Fragment]:
        """All that is told of the data."""
        return list(described(self.asked, self.ranked, shown))

    def prompt(self, shown: Shown, whole: Shown) -> Prompt:
        """The prompt with so much of everything."""
        asks = Fragment("question", question(self.asked.question), ("question",))
        told = [*self.schema(shown), asks]
        head = [
            Fragment("instruction", instruction(self.asked)),
            Fragment("functions", functions(self.asked)),
        ]
        kept = self.shots[: shown.demonstrations][::-1]
        said = [message for shot in kept for message in shot.messages]
        messages = (_message("system", head, "\n\n"), *said, _message("user", told, "\n"))
        fragments = [*head, *told, *(shot.fragment for shot in kept)]
        return Prompt(
            messages,
            tuple(_parts(fragments)),
            tuple(dict.fromkeys(kind for fragment in fragments for kind in fragment.sent)),
            tuple(_cut(shown, whole, self.asked)),
            self.asked.budget,
            self.asked.private,
            shown.demonstrations,
        )


def _lesser(made: _Made, whole: Shown) -> Iterator[Shown]:
    """Less and less of everything, in the order in which it goes."""
    shown = replace(whole, relations=_in_half(made, whole))
    for demonstrations in range(whole.demonstrations, 0, -1):
        yield replace(shown, demonstrations=demonstrations)
    shown = replace(shown, demonstrations=0)
    yield shown
    while shown.relations > FEW:
        shown = replace(shown, relations=max(FEW, shown.relations * 4 // 5))
        yield shown
    shown = replace(shown, samples=False)
    yield shown
    shown = replace(shown, linked=False)
    yield shown
    for relations in range(shown.relations - 1, -1, -1):
        yield replace(shown, relations=relations)


def _in_half(made: _Made, whole: Shown) -> int:
    """How many relations the schema can show in half of the budget; ``FEW`` in any case."""

    def fits(relations: int) -> bool:
        text = _joined(made.schema(replace(whole, relations=relations)), "\n")
        return tokens(text) <= made.asked.budget // 2

    least, most = min(FEW, whole.relations), whole.relations
    if least < most and fits(most):  # as nearly all do
        return most
    while least < most:
        tried = (least + most + 1) // 2
        if fits(tried):
            least = tried
        else:
            most = tried - 1
    return least


def _cut(shown: Shown, whole: Shown, asked: Asked) -> Iterator[str]:
    """What the trace says of what was left out."""
    if shown.demonstrations < whole.demonstrations:
        yield f"{shown.demonstrations} of {whole.demonstrations} demonstrations"
    if shown.relations < whole.relations:
        yield f"{shown.relations:,} of {whole.relations:,} relations"
    if not shown.samples and not asked.private:
        yield "no samples"
    if not shown.linked and asked.linked:
        yield "no facts near linked names"


def _parts(fragments: Sequence[Fragment]) -> Iterator[Part]:
    for name in _ORDER:
        text = _joined([fragment for fragment in fragments if fragment.part == name], "\n")
        if text:
            yield Part(name, text, tokens(text))


def _message(role: Role, fragments: Sequence[Fragment], between: str) -> Message:
    return Message(role, _joined(fragments, between))


def _joined(fragments: Sequence[Fragment], between: str) -> str:
    return between.join(fragment.text for fragment in fragments)
