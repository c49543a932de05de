"""The prompt: all parts as messages, cut to the token budget.

The system message has only fixed text; text from outside is in messages of the user. Providers charge less
for a beginning that they have read before, so what changes with the question comes last. The schema stands at
the beginning of the first message of the user, before the demonstrations; if it is shown whole, its order
does not depend on the question.

Cuts come in this order: heads of relations, worked examples, demonstrations and relations that are least
similar, samples, hints, facts near entities. The schema gets at most half of the budget. The same input gives
the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import PromptTooLong
from ..language.reply_schema import make_reply_schema
from ..llm.messages import MESSAGE, Message, Role, tokens
from ..model.dataset import list_query_relations
from .few_shot import FewShotExample, build_examples, format_question, strip_prose
from .instructions import build_instruction, describe_functions, describe_rare_functions
from .prompt_input import PromptInput, RankedRelation
from .question_hints import QuestionHints
from .schema_text import PromptContents, PromptFragment, describe_data, describe_links, quote_text
from .worked_examples import describe_worked_examples

VERSION = "8"
"""Changes with the text of the prompt, so that results name the prompt they were measured with."""

MIN_RELATIONS = 10  # Relations that stay until the samples are removed.
MIN_TABLES = 8  # Further tables that stay until relations are cut.
MIN_DETAILED = 40  # Relations of graphs with details, if all are named; further ones need room.

FIXED_PARTS = ("instruction", "functions", "worked examples")  # of the system message

_PART_ORDER = (
    *FIXED_PARTS,
    "schema",
    "sample",
    "linked",
    "hints",
    "rare functions",
    "demonstrations",
    "question",
)


@dataclass(frozen=True, slots=True)
class PromptPart:
    name: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages for a model, and their parts.

    ``sent`` lists the kinds of data in them, for the privacy report; ``cut`` lists what the ``budget`` left
    out. Order of messages: the system's, two for each of ``shots`` demonstrations (the most similar last),
    the user's, two for each of ``rounds`` of repair. ``reply_schema`` is the JSON Schema of replies, None if
    they are text. The first message of the user begins with ``schema``.
    """

    messages: tuple[Message, ...]
    parts: tuple[PromptPart, ...]
    sent: tuple[str, ...]
    cut: tuple[str, ...]
    budget: int
    private: bool
    schema: str = ""
    shots: int = 0
    rounds: int = 0
    reply_schema: Mapping[str, Any] | None = None

    @property
    def tokens(self) -> int:
        """An upper estimate of the tokens of all messages."""
        return sum(MESSAGE + tokens(message.content) for message in self.messages)

    def __str__(self) -> str:
        """The messages as text, each with its role, and a last line with tokens and kinds of data."""
        messages = "\n\n".join(f"[{message.role}]\n{message.content}" for message in self.messages)
        kinds = ", ".join(self.sent) or "none"
        left_out = f"; left out: {', '.join(self.cut)}" if self.cut else ""
        return f"{messages}\n\n[{self.tokens:,} tokens; data: {kinds}{left_out}]"


def build_prompt(prompt_input: PromptInput) -> Prompt:
    """Build the largest prompt that fits the budget.

    Raises:
        PromptTooLong: the instruction and the question alone exceed the budget.
    """
    ranked = prompt_input.rank_relations()
    examples = build_examples(prompt_input)
    worked_examples = describe_worked_examples(prompt_input)
    full = PromptContents(
        len(examples),
        len(ranked),
        len(ranked),
        prompt_input.count_further_tables(),
        heads=bool(prompt_input.heads),
        worked_examples=bool(worked_examples),
    )
    reply_schema = None
    if prompt_input.structured:
        # With relations that the prompt has no room for, too.
        reply_schema = make_reply_schema(list_query_relations(prompt_input.schemas))
    instructions = (
        PromptFragment("instruction", build_instruction(prompt_input)),
        PromptFragment("functions", describe_functions(prompt_input)),
    )
    builder = _PromptBuilder(
        prompt_input, ranked, examples, instructions, worked_examples, reply_schema
    )
    attempts = (builder.build(contents, full) for contents in _smaller_contents(builder, full))
    largest = next(attempts)
    if largest.tokens <= prompt_input.budget:
        return largest
    smallest = builder.build(
        PromptContents(
            0, 0, 0, 0, samples=False, neighbourhoods=False, hints=False, worked_examples=False
        ),
        full,
    )
    if smallest.tokens > prompt_input.budget:
        raise PromptTooLong(
            f"the prompt takes at least {smallest.tokens:,} tokens, of {prompt_input.budget:,} allowed",
            where=f"{tokens(prompt_input.question):,} of them are the question's",
            hint="shorten the question, or allow more tokens",
        )
    return next((prompt for prompt in attempts if prompt.tokens <= prompt_input.budget), smallest)


@dataclass(frozen=True, slots=True)
class _PromptBuilder:
    prompt_input: PromptInput
    ranked: Sequence[RankedRelation]
    examples: Sequence[FewShotExample]
    instructions: Sequence[PromptFragment]
    worked_examples: str
    reply_schema: Mapping[str, Any] | None
    schemas: dict[tuple[object, ...], list[PromptFragment]] = field(default_factory=dict)

    def build_schema(self, contents: PromptContents) -> list[PromptFragment]:
        # Most contents differ in what is not of the schema.
        key = (
            contents.tables,
            contents.relations,
            contents.detailed,
            contents.heads,
            contents.samples,
        )
        if key not in self.schemas:
            self.schemas[key] = list(describe_data(self.prompt_input, self.ranked, contents))
        return self.schemas[key]

    def count_schema_tokens(self, contents: PromptContents) -> int:
        return tokens(_join_fragments(self.build_schema(contents), "\n"))

    @property
    def schema_budget(self) -> int:
        return self.prompt_input.budget // 2

    def explain_functions(self) -> Iterator[PromptFragment]:
        text = describe_rare_functions(self.prompt_input.question)
        if text:
            yield PromptFragment("rare functions", text)

    def tell_today(self) -> Iterator[PromptFragment]:
        if self.prompt_input.needs_today:
            yield PromptFragment("question", f"Today is {self.prompt_input.today}.")

    def tell_last_questions(self) -> Iterator[PromptFragment]:
        *earlier, last = self.prompt_input.last_questions or (("", ""),)
        if any(last):
            which = "the last of these" if earlier else "this one"
            lines = [
                f"The question may follow {which}; a question that stands alone is not changed."
            ]
            for title, (question, query) in (
                *(("Earlier question", past) for past in earlier),
                ("Last question", last),
            ):
                lines += [f"{title}: {quote_text(question)}"] if question else []
                lines += ["Its query:", strip_prose(query)] if query else []
            yield PromptFragment("question", "\n".join(lines), ("last question",))

    def build(self, contents: PromptContents, full: PromptContents) -> Prompt:
        schema = self.build_schema(contents)
        asked = [
            *describe_links(self.prompt_input, contents),
            *self.explain_functions(),
            *self.tell_today(),
            *self.tell_last_questions(),
            PromptFragment("question", format_question(self.prompt_input.question), ("question",)),
        ]
        instructions = [*self.instructions]
        if contents.worked_examples:
            instructions.append(PromptFragment("worked examples", self.worked_examples))
        examples = self.examples[: contents.demonstrations][::-1]
        schema_text = _join_fragments(schema, "\n")
        first, *others = (
            *(message for example in examples for message in example.messages),
            _build_message("user", asked, "\n"),
        )
        messages = (
            _build_message("system", instructions, "\n\n"),
            begin_with_schema(first, schema_text),
            *others,
        )
        fragments = [*instructions, *schema, *asked, *(example.fragment for example in examples)]
        return Prompt(
            messages,
            tuple(_build_parts(fragments)),
            tuple(dict.fromkeys(kind for fragment in fragments for kind in fragment.sent)),
            tuple(_describe_cuts(contents, full, self.prompt_input)),
            self.prompt_input.budget,
            self.prompt_input.private,
            schema_text,
            contents.demonstrations,
            reply_schema=self.reply_schema,
        )


def _smaller_contents(builder: _PromptBuilder, full: PromptContents) -> Iterator[PromptContents]:
    """Yield smaller and smaller contents, in the order of the cuts."""
    if full.heads and builder.count_schema_tokens(full) <= builder.schema_budget:
        yield full
    contents = _fit_schema(builder, replace(full, heads=False))
    if contents.worked_examples:
        yield contents
        contents = replace(contents, worked_examples=False)
    for demonstrations in range(full.demonstrations, 0, -1):
        yield replace(contents, demonstrations=demonstrations)
    contents = replace(contents, demonstrations=0)
    yield contents
    while contents.relations > MIN_RELATIONS:
        contents = replace(contents, relations=max(MIN_RELATIONS, contents.relations * 4 // 5))
        yield contents
    contents = replace(contents, samples=False)
    yield contents
    contents = replace(contents, hints=False)
    yield contents
    contents = replace(contents, neighbourhoods=False)
    yield contents
    for relations in range(contents.relations - 1, -1, -1):
        yield replace(contents, relations=relations)


def _fit_schema(builder: _PromptBuilder, full: PromptContents) -> PromptContents:
    """Cut tables, details, then relations, until the schema takes at most half of the budget."""

    def largest(low: int, high: int, cut: Callable[[int], PromptContents]) -> PromptContents:
        def measure(number: int) -> int:
            return builder.count_schema_tokens(cut(number))

        return cut(find_largest(measure, min(low, high), high, builder.schema_budget))

    full = largest(MIN_TABLES, full.tables, lambda number: replace(full, tables=number))
    contents = largest(MIN_DETAILED, full.detailed, lambda number: replace(full, detailed=number))
    if contents.detailed > MIN_DETAILED:
        return contents
    return largest(
        MIN_RELATIONS, full.relations, lambda number: replace(contents, relations=number)
    )


def find_largest(measure: Callable[[int], int], low: int, high: int, limit: int) -> int:
    """Find the largest number of ``low`` to ``high`` whose size is at most ``limit``, else ``low``.

    Sizes grow with the numbers, and nearly evenly: every second number to look at is guessed from that.
    """
    if low == high:
        return low
    if (top := measure(high)) <= limit:  # most schemas fit
        return high
    if (bottom := measure(low)) > limit:
        return low
    is_guess = True
    while high - low > 1:
        share = (limit - bottom) / (top - bottom) if is_guess else 0.5
        middle = min(max(low + round(share * (high - low)), low + 1), high - 1)
        is_guess = not is_guess
        size = measure(middle)
        if size <= limit:
            low, bottom = middle, size
        else:
            high, top = middle, size
    return low


def _describe_cuts(
    contents: PromptContents, full: PromptContents, prompt_input: PromptInput
) -> Iterator[str]:
    if contents.heads != full.heads:
        yield "no heads of relations"
    if contents.worked_examples != full.worked_examples:
        yield "no worked examples"
    if contents.demonstrations < full.demonstrations:
        yield f"{contents.demonstrations} of {full.demonstrations} demonstrations"
    if contents.tables < full.tables:
        yield f"{contents.tables} of {full.tables} further tables"
    if contents.relations < full.relations:
        yield f"{contents.relations:,} of {full.relations:,} relations"
    if not contents.samples and not prompt_input.private:
        yield "no samples"
    if not contents.hints and prompt_input.hints != QuestionHints():
        yield "no readings of the question"
    if not contents.neighbourhoods and prompt_input.neighbourhoods:
        yield "no facts near linked names"


def _build_parts(fragments: Sequence[PromptFragment]) -> Iterator[PromptPart]:
    for name in _PART_ORDER:
        text = _join_fragments([fragment for fragment in fragments if fragment.part == name], "\n")
        if text:
            yield PromptPart(name, text, tokens(text))


def _build_message(role: Role, fragments: Sequence[PromptFragment], separator: str) -> Message:
    return Message(role, _join_fragments(fragments, separator))


def begin_with_schema(message: Message, schema: str) -> Message:
    separator = "\n\n" if schema else ""
    return Message(message.role, f"{schema}{separator}{message.content}")


def _join_fragments(fragments: Sequence[PromptFragment], separator: str) -> str:
    return separator.join(fragment.text for fragment in fragments)
