"""``Answer`` with its ``Evidence`` and ``Trace``, ``CheckReport``, and the layout of an answer for people.

An answer converts itself to JSON, CSV, a DataFrame, text and HTML. ``layout_answer`` decides what people see,
in which order and words; the renderers in ``render`` draw it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from .check_report import CheckReport as CheckReport
from .check_report import describe_match
from .check_report import line_and_column as line_and_column
from .errors import UsageError, format_count, format_list, format_rest
from .evidence import Evidence as Evidence
from .evidence import NodeKind as NodeKind
from .evidence import ShownProof, format_interval, format_value
from .evidence import Value as Value
from .language.ast import Problem, ProblemKind, Query, excerpt
from .language.description import describe_query
from .matching import NameMatch, compute_certainty, number_repeats
from .reasoning.notes import Note, NoteKind
from .render.blocks import Block, OutlineBlock, OutlineItem, TableBlock, TextBlock
from .render.evidence_graph import FactEnd, GraphFact, GraphStep, PictureContent
from .render.terminal import shorten_line
from .stage import SentStatement as SentStatement
from .stage import Stage as Stage
from .stage import Trace as Trace
from .validation.query_form import parse
from .wording import CallOption, render_options

if TYPE_CHECKING:
    import pandas
    from rich.console import RenderableType

    from .render.picture import NodeLink, Picture


Outcome: TypeAlias = Literal["answered", "empty", "not_askable", "rejected", "abstained", "failed"]

SUCCESS_OUTCOMES: frozenset[Outcome] = frozenset({"answered", "empty"})
"""Outcomes that end a command with exit code 0."""

PictureFormat: TypeAlias = Literal["svg", "mermaid", "dot"]
PICTURE_FORMATS: tuple[PictureFormat, ...] = get_args(PictureFormat)


_MAX_CELL = 60  # characters of a value of a reading

# of ``to_dict()``: rises when a field is removed or changes its meaning, not when one is added
SCHEMA_VERSION = 1


Origin: TypeAlias = Literal["demonstrated", "read", "model", "agreed"]


@dataclass(frozen=True, slots=True)
class QueryReading:
    """A query that a question may mean, with the probability that it is right, its table and its dataset.

    ``origin`` is what wrote it: the semantic parser (``read``) or a model.
    ``values`` are the first values or, of a table with ``columns``, cells of the first rows; ``total`` is the
    number of all values or rows, None if the query was not run.
    """

    query: str
    probability: float
    source: str | None = None
    dataset: str | None = None
    values: tuple[Value, ...] = ()
    columns: tuple[str, ...] = ()
    total: int | None = None
    origin: Origin = "read"

    @property
    def understood(self) -> str:
        """The query as a sentence."""
        return _describe(self.query)

    @property
    def shown_values(self) -> str:
        """The first values in a line; empty if the query was not run."""
        if self.total is None:
            return ""
        if not self.total:
            return "no value"
        width = max(1, len(self.columns))
        cells = [shorten_line(format_value(value), _MAX_CELL) for value in self.values]
        rows = [": ".join(cells[start : start + width]) for start in range(0, len(cells), width)]
        return format_list(rows, len(rows), total=self.total)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a query, or to a question.

    ``values`` are the distinct names and numbers of the answer; of a table, which has ``columns`` and
    ``rows``, the distinct cells. If they are only a part, ``truncated`` is
    their total number, or the number of facts that a step should have read. ``evidence`` is limited in
    length; ``evidence_total`` is the number of facts that lead to the answer, ``evidence_counts`` of those of
    each row or value (of the first 1,000), ``evidence_steps`` of those of each step, ``considered_total`` of
    all facts that the steps looked at. ``notes`` say which cells and facts a step left out. ``doubts`` are
    reasons why the query, not the data, may have caused an empty answer. ``ms`` has the times of parse,
    check, map, execute and total.

    The answer to a question also has: ``llm_query``, the query that was run; ``confidence`` from 0 to 1,
    after a vote the share of ``samples``; ``usage`` (input_tokens, output_tokens, calls, cached, cost, …);
    ``grounded``, False if a model judged values from the data; ``sent``, the kinds of data that left the
    machine; ``hints``, such as similar questions that have an answer; the ``datasets`` asked; ``source``, the
    one table or graph that the query read, None for all; ``origin``, what wrote the query: a demonstration,
    the semantic parser (``read``), a model, or both (``agreed``); and ``readings``, what a question may mean
    that is not askable, or that parser and model read differently. ``prose`` is a sentence that a model wrote
    from the values.
    """

    outcome: Outcome
    values: tuple[Value, ...] = ()
    columns: tuple[str, ...] | None = None
    rows: tuple[tuple[Value, ...], ...] | None = None
    problems: tuple[Problem, ...] = ()
    mapped: tuple[NameMatch, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    evidence_total: int = 0
    considered_total: int = 0
    evidence_counts: tuple[int, ...] = ()
    evidence_steps: Mapping[int, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    trace: Trace = field(default=(), repr=False)
    truncated: int | None = None
    doubts: tuple[Problem, ...] = field(default=(), repr=False)
    ms: Mapping[str, float] = field(default_factory=dict)
    question: str | None = None
    llm_query: str | None = None
    confidence: float | None = None
    samples: int | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    grounded: bool = True
    sent: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    origin: Origin | None = None
    readings: tuple[QueryReading, ...] = ()
    source: str | None = None
    prose: str | None = None

    @property
    def understood(self) -> str | None:
        """The query as a sentence; None if no query gave the answer, or if the trace of a run is missing."""
        if self.outcome not in SUCCESS_OUTCOMES:
            return None
        return _describe(find_query(self)) or None

    @property
    def sentence(self) -> str | None:
        """The answer as a sentence, without a model; None for tables, and if there is no answer."""
        is_table = self.columns is not None and len(self.columns) > 1
        if self.outcome != "answered" or is_table or not self.grounded:
            return None
        from .answer_sentence import write_sentence

        query = find_query(self)
        return write_sentence(query, self.values, self.evidence, self.evidence_total)

    @property
    def order(self) -> str | None:
        """Superlatives and rankings as a sentence with their measure; None for other answers."""
        if self.outcome != "answered" or not self.evidence:
            return None
        from .answer_sentence import write_order

        return write_order(find_query(self), self.values, self.evidence)

    def to_dict(self, *, proof: bool = True) -> dict[str, Any]:
        """Convert to JSON, which ``json_schema()`` describes.

        Fields of a question are included only if there was one; evidence and trace only with ``proof``.
        """
        content: dict[str, Any] = {
            "outcome": self.outcome,
            "values": list(self.values),
            "columns": None if self.columns is None else list(self.columns),
            "rows": None if self.rows is None else [list(row) for row in self.rows],
            "problems": [problem.to_dict() for problem in self.problems],
            "mapped": [match.to_dict() for match in self.mapped],
            "notes": [note.to_dict() for note in self.notes],
            "truncated": self.truncated,
            "ms": dict(self.ms),
            "understood": self.understood,
            "sentence": self.sentence,
            "version": SCHEMA_VERSION,
        }
        if self.question is not None:
            content |= {
                "question": self.question,
                "llm_query": self.llm_query,
                "confidence": self.confidence,
                "samples": self.samples,
                "usage": dict(self.usage),
                "grounded": self.grounded,
                "sent": list(self.sent),
                "hints": list(self.hints),
                "datasets": list(self.datasets),
                "source": self.source,
                "origin": self.origin,
                "readings": [
                    {**asdict(reading), "understood": reading.understood, "pick": number}
                    for number, reading in enumerate(self.readings, 1)
                ],
                "prose": self.prose,
            }
        if proof:
            content["evidence"] = [_get_fields(fact) for fact in self.evidence]
            content["evidence_total"] = self.evidence_total
            content["considered_total"] = self.considered_total
            content["evidence_counts"] = list(self.evidence_counts)
            content["evidence_steps"] = {str(step): n for step, n in self.evidence_steps.items()}
            content["trace"] = [
                {**_get_fields(stage), "sent": tuple(map(_get_fields, stage.sent))}
                for stage in self.trace
            ]
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Answer:
        """Make an answer of what ``to_dict`` returned; fields of later versions are ignored.

        Raises:
            UsageError: the content is not of an answer.
        """
        from pydantic import TypeAdapter, ValidationError

        if not isinstance(content, Mapping):
            raise UsageError(
                f"the content of an answer is a dict, not a {type(content).__name__}",
                hint="give what Answer.to_dict() returned",
            )
        names = {entry.name for entry in fields(cls)}
        try:
            return TypeAdapter(cls).validate_python(
                {name: value for name, value in content.items() if name in names}
            )
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise UsageError(
                f"no answer: {first['msg']}", where=place, hint="give what to_dict() returned"
            ) from error

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """Return the JSON Schema (draft 2020-12) of ``to_dict()``."""
        file = resources.files("trustuqa_neo4j").joinpath("answer.schema.json")
        schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return schema

    @property
    def table(self) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
        """Return columns and rows; values without a table become one column ``answer``."""
        if self.columns is not None and self.rows is not None:
            return self.columns, self.rows
        return ("answer",), tuple((value,) for value in self.values)

    @property
    def shown_rows(self) -> tuple[tuple[str, ...], ...]:
        """The rows of ``table`` as text, with numbers as in ``shown_values``."""
        from .answer_numbers import format_rows

        return format_rows(find_query(self), *self.table, self.evidence, self.evidence_total)

    @property
    def shown_values(self) -> tuple[str, ...]:
        """The values as text; computed numbers are rounded as the facts they come from."""
        from .answer_numbers import format_rows

        values = [(value,) for value in self.values]
        rows = format_rows(find_query(self), ("",), values, self.evidence, self.evidence_total)
        return tuple(row[0] for row in rows)

    def to_records(self) -> list[dict[str, Value]]:
        """Return the rows of ``table`` as dicts by column; ``values`` are their distinct cells.

        A name of several columns gets a number, as ``total_2``.
        """
        columns, rows = self.table
        names = number_repeats(columns)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def to_csv(self, *, escape_formulas: bool = False) -> str:
        """Convert the table to CSV with a header; cells are unchanged.

        With ``escape_formulas``, a text that a spreadsheet would compute gets an apostrophe before it.
        """
        from .render.tabular import rows_to_csv

        return rows_to_csv(*self.table, escape_formulas=escape_formulas)

    def to_pandas(self, *, typed: bool = True) -> pandas.DataFrame:
        """Convert the table to a DataFrame.

        Columns of nothing but numbers or dates become numbers or dates, and their empty cells missing
        values. If ``typed`` is false, cells of the data stay text.

        Raises:
            MissingExtra: pandas is not installed.
        """
        from .render.tabular import rows_to_dataframe

        return rows_to_dataframe(*self.table, typed=typed)

    def to_text(self, *, why: bool = False, explain: bool = False, tree: bool = False) -> str:
        """Format as ``tuqa run`` does; ``why`` adds the steps, ``explain`` also stages and statements.

        ``tree`` shows below each value the facts that it came from.
        """
        from .render.terminal import render_blocks, render_text

        blocks = layout_answer(self, why=why or explain, explain=explain, tree=tree)
        return render_text(render_blocks(blocks))

    def to_markdown(self, *, choose: str = "") -> str:
        """Format for chat programs, with escaped cells; ``choose`` tells how a reading is chosen."""
        from .render.markdown import render_markdown

        return render_markdown(layout_answer(self, choose=choose))

    def picture(
        self,
        *,
        format: PictureFormat = "svg",  # noqa: A002 # as in pandas and Graphviz
        table: bool = True,
        link_node: NodeLink | None = None,
    ) -> str:
        """Draw the facts and steps that lead to the answer, as an SVG or as text of a diagram.

        The SVG is a ``render.picture.Picture``: a text that shows itself in a notebook and has ``show()``.
        At most 60 facts are drawn; ``evidence`` of ``ask`` and ``run`` sets how many an answer has. If
        ``table`` is false, the SVG lacks the table of facts: the page around it has rows ``#fact-1``. Nodes
        lead to their facts, or names to ``link_node(dataset, name)``.

        Raises:
            UsageError: no such format.
        """
        if format not in PICTURE_FORMATS:
            raise UsageError(
                f"no picture of the format {format!r}",
                hint=f"take {format_list(PICTURE_FORMATS, 9, conjunction='or')}",
            )
        from .render import diagrams, picture

        content = _picture_content(self)
        if format == "mermaid":
            return diagrams.draw_mermaid(content)
        if format == "dot":
            return diagrams.draw_dot(content)
        return picture.draw_picture(content, has_table=table, link_node=link_node)

    def chart(self, *, link_facts: bool = False) -> Picture | None:
        """Draw a table of names with numbers as bars, or of times with numbers as a line; else None.

        The largest number comes first, the earliest time. With ``link_facts``, bars lead to rows ``#fact-1``
        of the page around the chart.
        """
        if self.outcome != "answered" or self.columns is None:
            return None
        from .answer_chart import make_chart
        from .render.chart import draw_chart

        links = self.evidence if link_facts else ()
        content = make_chart(self.columns, self.rows or (), self.shown_rows, links)
        return None if content is None else draw_chart(content)

    def show(self) -> None:
        """Display the picture in the notebook that runs, or else in the browser."""
        from .render.picture import draw_picture

        draw_picture(_picture_content(self)).show()

    def __str__(self) -> str:
        return self.to_text()

    def __rich__(self) -> RenderableType:
        from .render.terminal import render_blocks

        return render_blocks(layout_answer(self))

    def _repr_html_(self) -> str:
        """Format for notebooks, with collapsed steps and statements."""
        from .render.html import render_html

        html = render_html(layout_answer(self, question=True, why=True, explain=True))
        return html + (self.chart() or "")


def _get_fields(record: Evidence | Stage | SentStatement) -> dict[str, Any]:
    # asdict() copies each parameter of each statement, which takes longer than all else of an answer.
    return {name: getattr(record, name) for name in _list_fields(type(record).__name__)}


_RECORDS = {kind.__name__: kind for kind in (Evidence, Stage, SentStatement)}


@cache
def _list_fields(kind: str) -> tuple[str, ...]:
    return tuple(entry.name for entry in fields(_RECORDS[kind]))


def _describe(text: str) -> str:
    query = parse(text)
    return describe_query(query) if isinstance(query, Query) else ""


# The layout of an answer: first the answer, then doubts about it, then its facts, then the way to it.


_MAX_ROWS = 20  # values or rows of a long answer
_MAX_TEXT = 400  # characters of a stage's input or output
_MAX_MEMBERS = 5  # members of a long parameter


# "Step 2: count them", as a model explains its steps
_STEP_COMMENT = re.compile(
    r"^[^\w\n]*step[ \t*_#]*(\d{1,9})[ \t*_]*[:.)][ \t*_]*(\S[^\n]*)", re.IGNORECASE | re.MULTILINE
)


def layout_answer(
    answer: Answer,
    *,
    question: bool = False,
    why: bool = False,
    explain: bool = False,
    tree: bool = False,
    is_brief: bool = False,
    rest: str = "",
    choose: str = "",
) -> tuple[Block, ...]:
    """Lay out ``answer`` in blocks.

    ``question`` shows its question first; ``why`` adds the demonstration and the steps; ``explain`` adds all
    stages and statements. ``tree`` shows below each value the facts that it came from. ``is_brief`` shows a
    sentence in place of the values, and no facts. ``rest`` names the option that shows the whole of a long
    answer, ``choose`` what chooses a reading.
    """
    sentence = answer.sentence if is_brief else None
    blocks = [
        *([TextBlock("question", (answer.question,))] if question and answer.question else ()),
        *(
            _layout_result(answer, rest)
            if sentence is None
            else [TextBlock("question", (sentence,))]
        ),
        *_layout_notes(answer, choose or render_options(CallOption.PICK.with_value("N"))),
        *(() if is_brief else _layout_evidence(answer, tree=tree)),
        *((*_layout_demonstration(answer), *_layout_steps(answer)) if why else ()),
        *(_layout_stages(answer) if explain else ()),
    ]
    return tuple(blocks)


def _layout_result(answer: Answer, rest: str) -> Iterator[Block]:
    if answer.outcome == "abstained" and answer.values:
        # Not shown as an answer, since it is none.
        best = format_list(answer.shown_values, _MAX_ROWS)
        yield TextBlock("outcome", ("abstained", f"the most votes were for: {best}"))
        return
    if answer.rows is not None and answer.columns is not None and len(answer.columns) > 1:
        rows = answer.shown_rows[:_MAX_ROWS]
        footer = _format_rest(answer, len(answer.rows), rest or "rows has all", "row")
        yield TableBlock(answer.columns, rows, footer=footer)
    elif answer.values:
        values = answer.shown_values[:_MAX_ROWS]
        footer = _format_rest(answer, len(answer.values), rest or "values has all")
        yield TextBlock("answer", values, footer=footer)
        if order := answer.order:
            yield TextBlock("note", (order,))
    if answer.outcome != "answered":
        yield TextBlock("outcome", (answer.outcome.replace("_", " "),))


def _format_rest(answer: Answer, size: int, hint: str, noun: str = "") -> str:
    # The answer may have only a part of the values, of which a part is shown.
    missing = count_missing(answer)
    if missing:
        hint = hint.replace("all", f"{size:,}") if size > _MAX_ROWS else ""
    return format_rest(size + missing, min(size, _MAX_ROWS), noun, hint)


def count_missing(answer: Answer) -> int:
    """The number of values or rows that ``answer`` lacks; 0 if facts were not read, as a note says."""
    if answer.truncated is None or any(n.kind == NoteKind.NOT_READ for n in answer.notes):
        return 0
    return answer.truncated - len(answer.values if answer.rows is None else answer.rows)


def _layout_notes(answer: Answer, choose: str) -> Iterator[Block]:
    understood = answer.understood
    notes = [f"worded by the model: {answer.prose}"] if answer.prose else []
    notes += [f"understood as: {understood}"] if understood else []
    notes += [note.message for note in answer.notes]
    if answer.confidence is not None:
        notes.append(_format_confidence(answer, answer.confidence))
    if not answer.grounded:
        notes.append("computed by the model, not by the data alone (stages `judge` of the trace)")
    notes += describe_choices(answer)
    if answer.problems:
        query = find_query(answer)
        problems = tuple(describe_problem(problem, query) for problem in answer.problems)
        yield TextBlock("problem", problems)
    if answer.readings:
        places = [reading.source or reading.dataset for reading in answer.readings]
        has_several = len({*places}) > 1
        readings = tuple(
            f"{number}. {reading.understood}"
            + f" (in {places[number - 1]})" * has_several
            + " (by the model)" * (reading.origin == "model")
            + (f" → {reading.shown_values}" if reading.shown_values else "")
            for number, reading in enumerate(answer.readings, 1)
        )
        yield TextBlock("hint", readings, title=f"did you mean ({choose}):")
    if answer.hints:
        title = "could be asked:" if answer.outcome == "not_askable" else ""
        yield TextBlock("hint", answer.hints, title=title)
    if notes:
        yield TextBlock("note", tuple(notes))


def describe_choices(answer: Answer) -> Iterator[str]:
    """Tell which names were replaced, which datasets were chosen, and what was sent to a model."""
    yield from map(describe_match, answer.mapped)
    if any(stage.stage == "choose" for stage in answer.trace) and answer.datasets:
        yield f"datasets asked: {', '.join(answer.datasets)}"
    if answer.sent:
        yield f"sent to the model: {', '.join(answer.sent)}"


OPEN_KINDS = frozenset((ProblemKind.UNKNOWN_NAME, ProblemKind.NOT_ASKED_FOR))
_OPEN_FACTOR = 0.3
"""Of the confidence, for each open warning.

Of 2,519 recorded queries of WikiTableQuestions that found values, those without an open warning are right for
96 %, the 14 with one for 29 %. Cells that could not be compared are not such a warning: 30 of 31 such answers
are right.
"""
_UNGROUNDED_FACTOR = 0.3
"""Of the confidence, if the model computed a part of the answer.

In the paper on TrustUQA (Table 7) such answers are right for 39 % on WikiSQL, 11 % on WTQ, 20 % on
CronQuestions and 2 % on WebQSP: 0.45, 0.26, 0.21 and 0.03 of the accuracy of all answers there. All samples
share one judgment, so that their agreement says nothing of it.
"""


def compute_trust(answer: Answer) -> float:
    """The factor from 0 to 1 by which uncertain names, open warnings and judgments lower a confidence."""
    count = sum(problem.kind in OPEN_KINDS for problem in answer.problems)
    judged = 1.0 if answer.grounded else _UNGROUNDED_FACTOR
    return float(compute_certainty(answer.mapped) * _OPEN_FACTOR**count * judged)


_CONFIDENCE_ORIGIN: Mapping[Origin | None, str] = {
    "model": " (the model alone)",
    "agreed": " (the reader and the model agree)",
}


def _format_confidence(answer: Answer, confidence: float) -> str:
    text, samples = f"confidence {confidence:.2f}", answer.samples
    if samples is None:
        return text + _CONFIDENCE_ORIGIN.get(answer.origin, "")
    votes = count_votes(answer, confidence, samples)
    return f"{text} ({votes} of {samples} {'sample' if samples == 1 else 'samples'})"


def count_votes(answer: Answer, confidence: float, samples: int) -> int:
    """The number of samples that gave the answer of a vote."""
    return round(confidence / compute_trust(answer) * samples)


def find_query(answer: Answer) -> str:
    """Return the parsed text, to which positions of problems refer; empty if there was none."""
    if answer.llm_query is not None:
        return answer.llm_query
    return next((stage.given for stage in answer.trace if stage.stage == "parse"), "")


def rank_answer(answer: Answer) -> Answer:
    """Put the values of a ranking in its order, and what refers to their places."""
    from .answer_sentence import find_order

    if answer.columns is not None or len(answer.values) < 2:
        return answer
    order = find_order(find_query(answer), answer.values, answer.evidence)
    if order is None or order.word:
        return answer
    names = [*dict.fromkeys(name for name, _ in order.pairs)]
    texts = [str(value) for value in answer.values]
    places = sorted(range(len(texts)), key=lambda place: names.index(texts[place]))
    moved = {old: new for new, old in enumerate(places)}
    return replace(
        answer,
        values=tuple(answer.values[place] for place in places),
        evidence=tuple(
            replace(fact, answers=tuple(sorted(moved[place] for place in fact.answers)))
            for fact in answer.evidence
        ),
        evidence_counts=tuple(
            answer.evidence_counts[place] for place in places if place < len(answer.evidence_counts)
        ),
    )


def describe_problem(problem: Problem, query: str) -> str:
    """Kind, message and step of a problem, and its place in the query with a caret."""
    step = "" if problem.step is None else f" (step {problem.step})"
    text = f"{problem.kind}: {problem.message}{step}"
    if problem.position is None or not query:
        return text
    place = excerpt(query, problem.position)
    return text + "\n" + "\n".join(f"  {line}" for line in place.splitlines())


def describe_missing_proof(answer: Answer) -> str:
    """Tell why no fact proves the answer; empty if one does, or if there is no answer."""
    if answer.evidence_total:
        return ""
    if answer.considered_total:
        return f"no fact proves it; {format_count(answer.considered_total, 'fact')} looked at"
    has_run = any(stage.stage == "execute" for stage in answer.trace)
    if answer.outcome != "answered" or not has_run:
        return ""
    if "row_number" in find_query(answer):
        return "no fact proves it: rows are counted, whatever is in them"
    return "no fact proves it: it was computed from the query alone"


def _layout_evidence(answer: Answer, *, tree: bool) -> Iterator[Block]:
    if note := describe_missing_proof(answer):
        yield TextBlock("note", (note,))
    proof = get_proof(answer)
    if tree:
        from .render.diagrams import draw_tree

        yield TextBlock("note", tuple(draw_tree(_picture_content(answer))), title="tree")
    else:
        yield from proof.layout_facts()
    yield from proof.layout_selection()


def get_proof(answer: Answer) -> ShownProof:
    """The facts of ``answer`` with what they prove, and what selected them."""
    return ShownProof(
        answer.evidence,
        answer.evidence_total,
        answer.shown_rows,
        answer.evidence_counts,
        answer.evidence_steps,
        list_steps(answer),
    )


def _layout_demonstration(answer: Answer) -> Iterator[Block]:
    for stage in answer.trace:
        if stage.stage == "follow":
            lines = (shorten_line(stage.given, _MAX_TEXT), shorten_line(stage.found, _MAX_TEXT))
            yield TextBlock("note", lines, title="after the demonstration:")


def list_steps(answer: Answer) -> tuple[GraphStep, ...]:
    """The steps in their last run; their words are the sentences that stand before them in the query."""
    words = {int(n): text.strip() for n, text in _STEP_COMMENT.findall(find_query(answer))}
    runs = {stage.step: stage for stage in answer.trace if stage.step is not None}
    return tuple(
        GraphStep(
            number,
            stage.given,
            words.get(number, ""),
            stage.found.removeprefix(f"step {number}: "),
            stage.uses,
            tuple(map(format_value, stage.members)),
        )
        for number, stage in runs.items()
    )


def _layout_steps(answer: Answer) -> Iterator[Block]:
    items = tuple(
        OutlineItem(
            shorten_line(f"{step.number}. {step.words}".strip(), _MAX_TEXT),
            shorten_line(step.operation, _MAX_TEXT),
            _format_output(step.result, step.members),
        )
        for step in list_steps(answer)
    )
    if items:
        yield OutlineBlock("step" if len(items) == 1 else "steps", items)


def _picture_content(answer: Answer) -> PictureContent:
    query = find_query(answer)
    steps = list_steps(answer)
    last = max((step.number for step in steps), default=1)
    answers = () if answer.outcome == "abstained" else answer.shown_rows
    return PictureContent(
        title=answer.question or _describe(query) or "answer",
        outcome=answer.outcome.replace("_", " "),
        answers=answers,
        answers_total=len(answers) + count_missing(answer),
        facts=tuple(
            _graph_fact(number, fact, last, len(answers))
            for number, fact in enumerate(answer.evidence, 1)
        ),
        facts_total=answer.evidence_total,
        steps=steps,
    )


def _graph_fact(number: int, fact: Evidence, last_step: int, answers: int) -> GraphFact:
    head, tail = format_value(fact.head), format_value(fact.tail)
    return GraphFact(
        number,
        FactEnd(fact.head_kind, fact.dataset, fact.head_key or fact.head, head),
        fact.relation,
        FactEnd(fact.tail_kind, fact.dataset, fact.tail_key or fact.tail, tail),
        format_interval(fact),
        f"{fact.dataset}, {fact.place}",
        fact.inferred or "",
        last_step if fact.step is None else fact.step,
        (0,) if answers == 1 else fact.answers,
    )


def _layout_stages(answer: Answer) -> Iterator[Block]:
    items = tuple(
        OutlineItem(
            f"{stage.stage}  {stage.ms:.2f} ms",
            shorten_line(stage.given, _MAX_TEXT),
            _format_output(stage.found, stage.members),
            tuple(map(_format_statement, stage.sent)),
        )
        for stage in answer.trace
    )
    if answer.usage:
        usage = ", ".join(
            f"{name.replace('_', ' ')} {n:,}" if isinstance(n, (int, float)) else f"{name} {n}"
            for name, n in answer.usage.items()
            if n is not None
        )
        yield TextBlock("note", (f"used: {usage}",))
    if items:
        yield OutlineBlock("stages", items, is_spaced=True)


def _format_output(output: str, members: tuple[str, ...]) -> str:
    names = ", ".join(map(format_value, members))
    return shorten_line(output + (f": {names}" if names else ""), _MAX_TEXT)


def _format_statement(sent: SentStatement) -> str:
    parameters = {name: _shorten_list(value) for name, value in sent.parameters.items()}
    text = json.dumps(parameters, ensure_ascii=False)
    return f"{sent.statement}.cypher {text}: {sent.rows} rows, {sent.ms:.2f} ms"


def _shorten_list(value: Any) -> Any:
    if isinstance(value, list) and len(value) > _MAX_MEMBERS:
        return [*value[:_MAX_MEMBERS], format_rest(len(value), _MAX_MEMBERS)]
    return value
