"""``Examples``: questions that a dataset can answer, for people who do not know it yet."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from time import monotonic
from typing import NamedTuple, TypeAlias

from ..errors import AskingError, DataError, TimedOut
from ..language.ast import Argument, Call, Literal, Query, Step
from ..language.printer import UnprintableName, print_query
from ..matching import split_words
from ..model.dataset import Dataset, Schema
from ..model.demonstration import USABLE_STATES
from ..semantic_parser.question import GRAMMAR_WORDS
from ..semantic_parser.snapshot import NAME_WORDS
from .service import Service

MAX_EXAMPLES = 6
_MAX_DATASETS = 3
_MAX_MADE = 3
_MAX_TRIED = 6  # questions and searches of a dataset, together
_FACTS = 20  # of a relation; the first of them in its file becomes a question
_TIME = 15.0  # seconds for all questions and searches of a dataset

_BETWEEN_WORDS = re.compile(r"[\s_/.:]+|(?<=[a-z])(?=[A-Z])")
_VERB_OR_PLURAL = re.compile(r"[^sui]s$")
_PREPOSITIONS = ("at", "by", "for", "from", "in", "of", "on", "to", "with")
_PARTICIPLES = ("ed", "born", "en", "wn")


_Proposal: TypeAlias = tuple[str, Sequence[str]]  # a question, and names that its query must have


class Example(NamedTuple):
    """A question with its dataset, and with its source if it means only one."""

    question: str
    dataset: str
    source: str | None = None


class _Trials:
    """Questions and searches that may still be tried, and the time for them."""

    def __init__(self) -> None:
        self._left = _MAX_TRIED
        self._end = monotonic() + _TIME

    @property
    def is_late(self) -> bool:
        return monotonic() >= self._end

    def take(self) -> float:
        """The seconds for the next one; 0 if there is none."""
        self._left -= 1
        return max(0.0, self._end - monotonic()) if self._left >= 0 else 0.0


class Examples:
    """The examples of a dataset are kept until it is loaded or taught again."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._turn = asyncio.Lock()
        self._kept: dict[str, tuple[object, tuple[Example, ...]]] = {}

    async def find(self, dataset: str = "") -> tuple[Example, ...]:
        """Examples of ``dataset``, or of the first datasets for an empty name.

        Raises:
            UnknownDataset, DatabaseError
        """
        datasets = await self._service.call(self._service.tuqa.datasets)
        shown = [d for d in datasets if d.complete and dataset in ("", d.name)][:_MAX_DATASETS]
        if dataset and not shown:
            # Raises the error.
            await self._service.call(self._service.tuqa.schema, dataset)
        # Those who open the page at the same time wait for the questions of the first.
        async with self._turn:
            lists = [await self._list_of(entry) for entry in shown]
        count = MAX_EXAMPLES // max(1, len(lists))
        return tuple(example for examples in lists for example in examples[:count])

    async def _list_of(self, dataset: Dataset) -> tuple[Example, ...]:
        stamp = (dataset.loaded, dataset.facts, self._service.taught[dataset.name])
        kept, examples = self._kept.get(dataset.name, (None, ()))
        if kept == stamp:
            return examples
        trials = _Trials()
        examples = await self._list_demonstrations(dataset)
        if not examples:
            examples = await self._make_examples(dataset, trials)
        # A busy moment is not a reason to have none for ever.
        if examples or not trials.is_late:
            self._kept[dataset.name] = (stamp, examples)
        return examples

    async def _list_demonstrations(self, dataset: Dataset) -> tuple[Example, ...]:
        listed = self._service.tuqa.demonstrations.listed
        demonstrations = await self._service.call(listed, dataset.name, USABLE_STATES)
        # Those that gave the expected answer come first.
        demonstrations.sort(key=lambda row: row.state != "verified")
        return tuple(
            Example(row.question, dataset.name, row.source) for row in demonstrations[:MAX_EXAMPLES]
        )

    async def _make_examples(self, dataset: Dataset, trials: _Trials) -> tuple[Example, ...]:
        schema = await self._service.call(self._service.tuqa.schema, dataset.name)
        examples: list[Example] = []
        async for question, names in self._propose(schema, dataset.name, trials):
            if await self._is_read(question, names, dataset.name, trials.take()):
                examples.append(Example(question, dataset.name))
            if len(examples) == _MAX_MADE:
                break
        return tuple(examples)

    async def _propose(
        self, schema: Schema, dataset: str, trials: _Trials
    ) -> AsyncIterator[_Proposal]:
        of_columns = _propose_of_columns(schema)
        for proposal in islice(of_columns, 3):
            yield proposal
        for relation in schema.relations[:_MAX_TRIED]:
            if "names" in relation.leads_from:
                for proposal in await self._propose_of_graph(relation.name, dataset, trials.take()):
                    yield proposal
        for proposal in of_columns:
            yield proposal

    async def _propose_of_graph(
        self, relation: str, dataset: str, seconds: float
    ) -> list[_Proposal]:
        """A question of the first fact of a relation."""
        if not seconds:
            return []
        try:
            query = print_search(relation=relation)
            answer = await self._service.run(query, dataset, evidence=_FACTS, timeout=seconds)
        except (UnprintableName, TimedOut):
            return []
        heads = [fact.head for fact in answer.evidence if fact.head_kind == "entity"]
        questions = ((propose_of_relation(relation, head), head) for head in heads)
        return [(question, (relation, head)) for question, head in islice(questions, 1) if question]

    async def _is_read(
        self, question: str, names: Sequence[str], dataset: str, seconds: float
    ) -> bool:
        """True if a question is answered by a query that has ``names``, which it is made of."""
        if not seconds:
            return False
        options = {"llm": "demonstrations", "evidence": 0, "timeout": seconds}
        try:
            answer = await self._service.ask(question, dataset, **options)
        except (AskingError, DataError, TimedOut):
            # Then it is not an example.
            return False
        query = answer.llm_query or ""
        return answer.outcome == "answered" and all(name in query for name in names)


def print_search(**texts: str) -> str:
    """The query of one search, whose parameters are ``texts``.

    Raises:
        UnprintableName: no query can contain one of the texts.
    """
    arguments = tuple(Argument(name, "=", Literal(text, 0), 0) for name, text in texts.items())
    return print_query(Query((Step(1, Call("get_information", arguments, 0)),)))


def _propose_of_columns(schema: Schema) -> Iterator[_Proposal]:
    known = {relation.name: relation for relation in schema.relations}
    order = next((source.columns for source in schema.sources if source.columns), ())
    columns = [known[name] for name in dict.fromkeys(order) if name in known]
    # In a column of one number, each row has the highest.
    numeric = [c.name for c in columns if c.highest is not None and c.lowest != c.highest]
    if not columns:
        return
    # People have names in a table of employees, not only numbers.
    names = (column.name for column in columns if NAME_WORDS & {*split_words(column.name)})
    first = next(names, columns[0].name)
    for name in numeric[:2]:
        if name != first:
            yield f"which {first} has the highest {name}?", (first, name)
    for relation in columns:
        if relation.name != first and relation.samples and relation.tails.text == relation.facts:
            sample = relation.samples[0]
            yield f"how many rows have the {relation.name} {sample}?", (relation.name, sample)
    yield from ((f"what is the highest {name}?", (name,)) for name in numeric[:2])
    yield "how many rows are there?", ()


def propose_of_relation(relation: str, head: str) -> str:
    """A question of what ``relation`` leads to; empty for words that make no sentence.

    Verbs such as *owns*, and phrases such as *on call* and *has part*, are not nouns.
    """
    words = _BETWEEN_WORDS.sub(" ", relation).strip()
    parts = words.casefold().split(" ")
    if parts[0] in (*_PREPOSITIONS, *GRAMMAR_WORDS) or _VERB_OR_PLURAL.search(parts[-1]):
        return ""
    if len(parts) > 1 and parts[-1] in _PREPOSITIONS:
        return f"what was {head} {words}?" if parts[0].endswith(_PARTICIPLES) else ""
    if len(parts) == 1 and words.casefold().endswith("ed"):
        return f"what has {head} {words}?"
    return f"what is the {words} of {head}?"
