"""``AnswerPage``: an answer as the page shows it, in the words of people who see one for the first time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from shlex import quote
from urllib.parse import urlencode

from ..answer import (
    SUCCESS_OUTCOMES,
    Answer,
    Evidence,
    Outcome,
    Stage,
    count_missing,
    count_votes,
    describe_choices,
    describe_missing_proof,
    find_query,
    get_proof,
    list_steps,
)
from ..errors import format_count
from ..evidence import ShownProof, format_interval
from ..language.ast import Problem, ProblemKind, Query, excerpt
from ..language.description import describe_steps
from ..language.parser import parse_query
from ..questions.past_question import PastQuestion
from ..render.evidence_graph import MAX_FACTS as DRAWN_FACTS
from ..render.evidence_graph import GraphStep
from ..render.terminal import shorten_line

MAX_ROWS = 200
MAX_FACTS = 500
_MAX_FOLLOWS = 4_000  # characters, which must fit into an address

_OUTCOMES: dict[Outcome, tuple[str, str]] = {
    "answered": ("Answer", ""),
    "empty": ("The data have no answer", "The steps ran, and nothing fits them."),
    "not_askable": (
        "The question could not be understood",
        "No example is like it, or the data have no such name, column or relation.",
    ),
    "rejected": ("The steps have a mistake", "They did not run."),
    "abstained": ("Not certain enough to answer", "The queries that were tried disagree too much."),
    "failed": ("The steps could not be read", "Their text has a fault, or the model wrote none."),
}

_ORIGINS = {
    "read": "The words of the question were read without a language model.",
    "demonstrated": "The steps are those of an example with a known query, with the names exchanged.",
    "model": "A language model wrote the steps; the program checked them and ran them on the data.",
    "agreed": "A language model and the reader of the question found the same answer.",
}

_STAGES = {
    "retrieve": "looking for a demonstration",
    "try": "running the queries of demonstrations",
    "follow": "following a demonstration",
    "read": "reading the question",
    "link": "looking for the names of the question",
    "choose": "choosing the data",
    "prompt": "writing the prompt",
    "complete": "waiting for the model",
    "repair": "letting the model correct its steps",
    "vote": "comparing the answers",
    "judge": "letting the model compare values",
    "fallback": "going on without the model",
    "word": "letting the model word the answer",
    "parse": "reading the steps",
    "check": "checking the steps",
    "map": "finding the names in the data",
    "plan": "planning the search",
    "execute": "searching",
    "prove": "collecting the facts",
}


# The stages whose input, or whose output, counts something that a person may want to see.
_COUNTED_INPUT = frozenset(("map", "try", "vote"))
_COUNTED_OUTPUT = frozenset(("parse", "prompt", "execute", "prove"))
_MAX_COUNTS = 80  # characters


def name_stage(stage: Stage) -> str:
    """The stage in plain words."""
    words = _STAGES.get(stage.stage, stage.stage)
    return words if stage.step is None else f"{words}, step {stage.step}"


def count_stage(stage: Stage) -> str:
    """The counts of the stage, in few words; empty if it counts nothing."""
    if stage.stage in _COUNTED_INPUT:
        return stage.given
    if stage.stage not in _COUNTED_OUTPUT:
        return ""
    return shorten_line(stage.found.removeprefix(f"step {stage.step}: "), _MAX_COUNTS)


def explain_confidence(answer: Answer) -> str:
    """Explain the confidence of ``answer`` in one sentence; empty if it has none."""
    if answer.confidence is None:
        return ""
    percent = f"{min(answer.confidence, 0.994 if answer.confidence < 1 else 1):.0%}"
    if answer.samples is not None:
        votes = count_votes(answer, answer.confidence, answer.samples)
        queries = f"{answer.samples:,} {'query' if answer.samples == 1 else 'queries'} of the model"
        return f"Confidence {percent}: {votes:,} of {queries} gave this answer."
    if answer.origin == "read":
        return (
            f"Confidence {percent}: the calibrated probability that the question was read rightly."
        )
    if answer.origin == "demonstrated":
        return (
            f"Confidence {percent}: how well an example fits the question, less for open warnings."
        )
    return f"Confidence {percent}."


@dataclass(frozen=True, slots=True)
class ProblemText:
    """A problem, and its ``place``: the line of the query with a caret below it."""

    kind: str
    message: str
    step: int | None
    severity: str
    place: str


def describe_problems(problems: tuple[Problem, ...], query: str) -> tuple[ProblemText, ...]:
    return tuple(
        ProblemText(
            str(problem.kind),
            problem.message,
            problem.step,
            problem.severity,
            excerpt(query, problem.position) if problem.position is not None and query else "",
        )
        for problem in problems
    )


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact with its number, its time and the answers that it ``proves``, if there are several.

    ``around`` are the names of its ends that can be searched.
    """

    number: int
    fact: Evidence
    time: str
    around: tuple[str, ...]
    proves: str = ""


def number_facts(facts: tuple[Evidence, ...]) -> Iterator[FactRow]:
    for number, fact in enumerate(facts, 1):
        ends = ((fact.head, fact.head_kind), (fact.tail, fact.tail_kind))
        names = (text for text, kind in ends if kind in ("entity", "value") and text.strip())
        yield FactRow(number, fact, format_interval(fact), tuple(dict.fromkeys(names)))


def link_neighbours(dataset: str, name: str) -> str:
    """The address of the facts around a name."""
    return f"/around?{urlencode({'dataset': dataset, 'name': name})}"


@dataclass(frozen=True)
class AnswerPage:
    """The parts of a kept answer.

    ``name`` is its id, ``address`` the one that asked it, and ``follows`` the answer that its question
    follows, as the API has it, in JSON.
    """

    name: str
    answer: Answer
    address: str = ""
    follows: str = ""

    @property
    def last_question(self) -> str:
        """The question that this one follows; empty without one."""
        return PastQuestion.read(json.loads(self.follows)).question if self.follows else ""

    @property
    def next_follows(self) -> str:
        """Return the answer that the next question can follow: this one, else that which this one follows."""
        answer = self.answer
        if answer.outcome not in SUCCESS_OUTCOMES or not self.query:
            return self.follows
        past = {"question": answer.question, "llm_query": self.query, "source": answer.source}
        text = json.dumps(past | {"datasets": answer.datasets})
        return text if len(text) <= _MAX_FOLLOWS else ""

    @property
    def link(self) -> str:
        """The address that asks the question again, also after a restart; without one, that of the answer."""
        if self.address or not (self.answer.question and self.answer.origin):
            # Steps that a person has changed are not what the question leads to.
            return self.address or f"/answers/{self.name}"
        scope = {
            "question": self.answer.question,
            "dataset": self.dataset,
            "source": self.answer.source,
        }
        return f"/ask?{urlencode({name: value for name, value in scope.items() if value})}"

    @property
    def title(self) -> str:
        return _OUTCOMES[self.answer.outcome][0]

    @property
    def explanation(self) -> str:
        reason = self._reason
        if reason is None:
            return _OUTCOMES[self.answer.outcome][1]
        return f"{reason.message[:1].upper()}{reason.message[1:]}."

    @property
    def _reason(self) -> Problem | None:
        """Why the question is not understood, in words of its own; that no example fits says nothing more."""
        problems = self.answer.problems if self.answer.outcome == "not_askable" else ()
        return next((p for p in problems if p.kind == ProblemKind.NOT_UNDERSTOOD), None)

    @property
    def has_values(self) -> bool:
        return bool(self.answer.values or self.answer.rows)

    @property
    def is_table(self) -> bool:
        return self.answer.columns is not None and len(self.answer.columns) > 1

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The first rows; a list of values has one column."""
        if self.is_table:
            return self.answer.shown_rows[:MAX_ROWS]
        return tuple((value,) for value in self.answer.shown_values[:MAX_ROWS])

    @property
    def omitted(self) -> int:
        """The number of rows that are not shown."""
        answer = self.answer
        size = len(answer.table[1]) if self.is_table else len(answer.values)
        return size + count_missing(answer) - len(self.rows)

    @property
    def summary(self) -> str:
        """The outcome in a few words, for people who hear the page."""
        if self.answer.outcome != "answered":
            return self.title
        noun = "row" if self.is_table else "value"
        return f"Answer: {format_count(len(self.rows) + self.omitted, noun)}"

    @property
    def sentence(self) -> str | None:
        """The answer as a sentence; None if it only repeats how the question was understood."""
        sentence, understood = self.answer.sentence, self.answer.understood
        if sentence is None or understood is None:
            return sentence
        return None if sentence.casefold().startswith(f"{understood}: ".casefold()) else sentence

    @property
    def confidence(self) -> str:
        return explain_confidence(self.answer)

    @property
    def origin(self) -> str:
        if self.answer.origin is None:
            return "" if self.query == "" else "The steps were written by hand, or by an agent."
        return _ORIGINS[self.answer.origin]

    @property
    def notes(self) -> tuple[str, ...]:
        answer = self.answer
        messages = (note.message for note in answer.notes)
        notes = (*messages, *describe_choices(answer), describe_missing_proof(answer))
        return tuple(filter(None, notes))

    @property
    def query(self) -> str:
        return find_query(self.answer)

    @property
    def problems(self) -> tuple[ProblemText, ...]:
        problems = self.answer.problems
        if reason := self._reason:
            said = (reason.kind, ProblemKind.NOT_DEMONSTRATED)
            problems = tuple(problem for problem in problems if problem.kind not in said)
        return describe_problems(problems, self.query)

    @property
    def dataset(self) -> str:
        """The dataset of the answer; empty if it is not one."""
        if len(self.answer.datasets) == 1:
            return self.answer.datasets[0]
        names = {fact.dataset for fact in self.answer.evidence}
        return names.pop() if len(names) == 1 else ""

    @property
    def known_datasets(self) -> tuple[str, ...]:
        """The datasets that the steps of an example may be about, the most probable first."""
        readings = (reading.dataset for reading in self.answer.readings)
        return tuple(filter(None, dict.fromkeys((self.dataset, *readings, *self.answer.datasets))))

    @property
    def known_sources(self) -> tuple[str, ...]:
        """The tables and graphs that the answer or a reading is from."""
        readings = (reading.source for reading in self.answer.readings)
        facts = (fact.source for fact in self.answer.evidence)
        return tuple(filter(None, dict.fromkeys((self.answer.source, *readings, *facts))))

    @cached_property
    def facts(self) -> tuple[FactRow, ...]:
        rows = number_facts(self.answer.evidence[:MAX_FACTS])
        return tuple(replace(row, proves=self.proof.name_answers(row.fact)) for row in rows)

    @property
    def command(self) -> str:
        """The command that shows all facts, if the steps are in a file."""
        options = {"dataset": self.dataset, "source": self.answer.source}
        scope = (f"--{name} {quote(value)} " for name, value in options.items() if value)
        return f"tuqa run STEPS.txt {''.join(scope)}--evidence {self.answer.evidence_total}"

    @cached_property
    def proof(self) -> ShownProof:
        return get_proof(self.answer)

    @cached_property
    def records(self) -> tuple[tuple[FactRow, ...], ...]:
        """The facts of each row of a table together, where they prove groups of rows; else empty."""
        rows = {id(row.fact): row for row in self.facts}
        records = (tuple(rows.get(id(f)) for f in record) for record in self.proof.records)
        return tuple(tuple(row for row in record if row) for record in records)

    @property
    def relations(self) -> tuple[str, ...]:
        """The columns of the records."""
        return tuple(dict.fromkeys(row.fact.relation for row in self.facts))

    @cached_property
    def steps(self) -> tuple[GraphStep, ...]:
        """The steps; those without words of their own are described."""
        query = parse_query(self.query)
        words = describe_steps(query) if isinstance(query, Query) else {}
        return tuple(
            replace(step, words=step.words or words.get(step.number, ""))
            for step in list_steps(self.answer)
        )

    @property
    def drawn_facts(self) -> int:
        """The number of facts in the picture; 0 if all are in it."""
        return 0 if self.answer.evidence_total <= DRAWN_FACTS else DRAWN_FACTS

    @property
    def picture(self) -> str:
        """The SVG, whose lines lead to the table of facts, and names to the facts around them; or empty."""
        if not self.answer.evidence:
            return ""
        return self.answer.picture(table=False, link_node=link_neighbours)

    @property
    def can_be_confirmed(self) -> bool:
        """True if the steps answer the question, and are not those of an example."""
        is_new = self.answer.outcome == "answered" and self.answer.origin != "demonstrated"
        # The words of a follow-up mean something else elsewhere.
        return is_new and not self.follows and self.can_be_rejected

    @property
    def can_be_rejected(self) -> bool:
        """True if steps of one dataset gave, or looked for, the answer to a question."""
        has_run = self.answer.outcome in SUCCESS_OUTCOMES
        return bool(has_run and self.answer.question and self.query and self.dataset)

    @property
    def chart(self) -> str:
        """The SVG of names with numbers, whose bars lead to the table of facts; or empty."""
        return self.answer.chart(link_facts=True) or ""

    @property
    def is_computed(self) -> bool:
        """True if the engine computed values of the answer, so that no cell of the data has them."""
        values = self.answer.values or [cell for row in self.answer.rows or () for cell in row]
        return self.answer.grounded and any(not isinstance(value, str) for value in values)
