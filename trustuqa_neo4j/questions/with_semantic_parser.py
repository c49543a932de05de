"""Answers a question by the semantic parser, without a model.

The parser proposes queries for the tables and graphs of the dataset and ranks them. The best one runs as any
query, if it is probable enough and explains the words of the question. A demonstration that fits less well
than one without calibration must competes with it by confidence. Without an answer of either, the question is
not askable, and the answer offers the best readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..answer import SUCCESS_OUTCOMES, Answer, QueryReading, compute_trust, count_missing
from ..errors import QuestionTooLong, UsageError, format_list
from ..language.ast import Problem, ProblemKind
from ..matching import NameMatch
from ..model.dataset import SchemaSource, Scope
from ..reads.reader import Reader
from ..semantic_parser.question import PlainQuestion, read_question
from ..semantic_parser.reading import ParsedQuestion, QuestionReading
from ..semantic_parser.snapshot import TableSnapshot
from ..semantic_parser.spelling import correct_spelling
from ..semantic_parser.table_parser import parse_for_table
from ..wording import CallOption, render_options
from .composition import DataPart, compose_readings, refuse_words_of_others
from .context import QuestionContext, make_abstained
from .dataset_contents import DatasetContents, read_contents
from .graph_neighbourhoods import DatabaseGraph
from .joined_tables import group_tables, refuse, refuse_shared_columns, select_named
from .options import AskRequest
from .readability import explain_no_reading, find_obstacle
from .synonyms import replace_synonyms
from .table_ranking import rank_tables
from .table_snapshots import load_joined_snapshot, load_snapshot, read_partial_snapshot

MAX_CELLS = 40_000  # of a table that is read whole
OFFERED = 3  # readings of a question that is not askable
OFFERED_VALUES = 5  # values or rows of such a reading
MAX_TABLES = 3  # of a dataset that are read


def answer_with_semantic_parser(context: QuestionContext, demonstrated: Answer | None) -> Answer:
    """Answer with the surest reading, unless the ``demonstrated`` answer is surer."""
    request = context.request
    answer = demonstrated or Answer("not_askable")
    if answer.outcome == "not_askable":
        demonstrated = None
    question = read_question(request.question)
    obstacle = find_obstacle(question)
    readings: Sequence[QuestionReading] = []
    if obstacle is None:
        try:
            readings = _read(context)
        except QuestionTooLong as error:
            obstacle = Problem(ProblemKind.NOT_UNDERSTOOD, error.summary)
    if request.pick is not None:
        return _answer_picked(context, readings, request.pick)
    corrections: tuple[NameMatch, ...] = ()
    sure = _select_sure(readings)
    if obstacle is None and (not sure or sure[0].unexplained):
        unknown = readings[0].unknown_words if readings else question.content_words
        corrected, corrections = _read_corrected(context, unknown)
        sure = corrected or sure
    if demonstrated is not None and not sure:
        return demonstrated
    if not (sure or readings):
        problem = obstacle or explain_no_reading(question)
        refused = replace(answer, trace=(), ms={}, problems=(problem, *answer.problems))
        return context.trace.finish(refused, question=request.question)
    if not sure:
        return _offer(context, answer, readings)
    answer = _run(context, sure[0], corrections)
    if demonstrated is not None and _is_surer(demonstrated, answer):
        return demonstrated
    hints = (
        *answer.hints,
        *_describe_tables(sure[0]),
        *_describe_left_out(sure[0]),
        *_suggest_datasets(sure),
    )
    return replace(answer, hints=hints)


def _is_surer(demonstrated: Answer, read: Answer) -> bool:
    if read.outcome not in (*SUCCESS_OUTCOMES, "abstained"):
        return True
    return (demonstrated.confidence or 0.0) >= (read.confidence or 0.0)


def _select_sure(readings: Sequence[QuestionReading]) -> list[QuestionReading]:
    return [reading for reading in readings if reading.is_sure]


def _read_corrected(
    context: QuestionContext, unexplained: Sequence[str]
) -> tuple[list[QuestionReading], tuple[NameMatch, ...]]:
    """Read the question again without typing errors in words that nothing explains.

    Too long a question is as wrong as it was: nothing is corrected.
    """
    request = context.request
    headers, _ = context.read(lambda reader: _read_headers(reader, request.scope))
    try:
        text, corrections = correct_spelling(read_question(request.question), unexplained, headers)
        corrected = replace(context, request=replace(request, question=text))
        sure = _select_sure(_read(corrected)) if corrections else []
    except QuestionTooLong:
        sure = []
    return (sure, corrections) if sure else ([], ())


def _read_headers(reader: Reader, scope: Scope) -> set[str]:
    """Return the names of columns and relations."""
    contents = [read_contents(reader, dataset, scope.source) for dataset in scope.datasets]
    columns = (name for part in contents for table in part.tables for name in table.columns)
    return {*columns, *(name for part in contents for name in part.relations)}


def _describe_tables(reading: QuestionReading) -> Iterator[str]:
    if reading.sources:
        names = format_list(list(reading.sources), 3)
        yield render_options(
            f"asked of {len(reading.sources)} tables with the same columns ({names}); "
            f"{CallOption.SOURCE} asks one"
        )


def _describe_left_out(reading: QuestionReading) -> Iterator[str]:
    if reading.left_out:
        words = ", ".join(map(repr, reading.left_out))
        yield f"the data do not explain {words}: only the other words are answered"


def _suggest_datasets(readings: Sequence[QuestionReading]) -> Iterator[str]:
    """Name the datasets that the question may be asked of too, beside the one that answers."""
    asked = {*readings[0].datasets}
    for reading in readings:
        if asked.isdisjoint(reading.datasets):
            asked.update(reading.datasets)
            query = QueryReading(reading.query, reading.probability)
            yield f"dataset {reading.datasets[0]!r} may answer too: {query.understood}"


def _read(context: QuestionContext) -> Sequence[QuestionReading]:
    request = context.request
    readings, sent = context.read(lambda reader: find_readings(reader, request))
    best = "; ".join(
        f"{reading.probability:.2f} {reading.query!r}" for reading in readings[:OFFERED]
    )
    context.trace.add("read", request.question, best or "the data have none of its words", sent)
    return readings


def find_readings(reader: Reader, request: AskRequest) -> tuple[QuestionReading, ...]:
    return parse_question(reader, request).readings


def parse_question(
    reader: Reader, request: AskRequest, ranked: Mapping[str, Sequence[str]] | None = None
) -> ParsedQuestion:
    """Parse the question with the words of each dataset by itself.

    ``ranked`` are the tables of datasets, best first, if the caller has ranked them.
    """
    question = read_question(request.question)
    if find_obstacle(question) is not None:
        return ParsedQuestion()
    parts = [
        part
        for dataset in request.scope.datasets
        for part in _find_parts(reader, request, dataset, (ranked or {}).get(dataset))
    ]
    neighbours = [
        part
        for dataset in request.neighbours
        for part in _find_parts(reader, request, dataset, None)
    ]
    parsed = [
        _name_dataset(
            refuse_words_of_others(
                question, part, part.parse(request.question), neighbours + parts
            ),
            part.dataset,
        )
        for part in parts
    ]
    readings = [reading for alone in parsed for reading in alone.readings]
    links = tuple(link for alone in parsed for link in alone.links)
    is_whole = any(reading.is_sure and not reading.unexplained for reading in readings)
    if not is_whole and len(parts) + len(neighbours) > 1:
        parsed += (part.parse(request.question) for part in neighbours)
        # Without the readings of one part, which leave out what the other explains.
        readings = list(compose_readings(question, parts + neighbours, parsed)) or readings
    readings.sort(key=lambda reading: -reading.probability)
    return ParsedQuestion(tuple(readings), links)


def _name_dataset(parsed: ParsedQuestion, dataset: str) -> ParsedQuestion:
    return ParsedQuestion(
        tuple(replace(reading, datasets=(dataset,)) for reading in parsed.readings),
        tuple(replace(link, dataset=dataset) for link in parsed.links),
    )


def _find_parts(
    reader: Reader, request: AskRequest, dataset: str, ranked: Sequence[str] | None
) -> Iterator[DataPart]:
    contents = read_contents(reader, dataset, request.scope.source, inference=request.inference)
    for tables in _choose_tables(reader, contents, request.question, ranked):
        parse = partial(_parse_tables, reader, contents, tables)
        yield DataPart(dataset, frozenset(tables[0].columns), parse)
    if contents.relations:
        parse = partial(_parse_graph, reader, contents, request.scope.source)
        yield DataPart(dataset, frozenset(contents.relations), parse)


def _parse_graph(
    reader: Reader, contents: DatasetContents, source: str | None, text: str
) -> ParsedQuestion:
    # Its imports take a twentieth of a question to a table.
    from ..semantic_parser.graph_parser import parse_for_graph

    question = read_question(replace_synonyms(text, contents.synonyms))
    return parse_for_graph(question, DatabaseGraph(reader, contents), source)


def _parse_tables(
    reader: Reader, contents: DatasetContents, tables: Sequence[SchemaSource], text: str
) -> ParsedQuestion:
    """Read a text over tables with the same columns as over one; refuse it if that is not possible."""
    question = read_question(replace_synonyms(text, contents.synonyms))
    named = select_named(question, tables) if len(tables) > 1 else tables
    if len(named) == 1:
        return parse_for_table(question, _read_snapshot(reader, contents, named[0], question))
    is_joinable = len(named) == len(tables) and sum(t.facts for t in tables) <= MAX_CELLS
    joined = load_joined_snapshot(reader, contents, tuple(tables)) if is_joinable else None
    if joined is not None:
        return refuse_shared_columns(parse_for_table(question, joined), contents, tables)
    snapshots = [_read_snapshot(reader, contents, t, question) for t in named[:MAX_TABLES]]
    refused = [refuse(parse_for_table(question, snapshot), named) for snapshot in snapshots]
    return ParsedQuestion(
        tuple(reading for parsed in refused for reading in parsed.readings),
        tuple(link for parsed in refused for link in parsed.links),
    )


def _read_snapshot(
    reader: Reader, contents: DatasetContents, table: SchemaSource, question: PlainQuestion
) -> TableSnapshot:
    if table.facts > MAX_CELLS:
        return read_partial_snapshot(reader, contents, table, question)
    return load_snapshot(reader, contents, table)


def _choose_tables(
    reader: Reader,
    contents: DatasetContents,
    text: str,
    ranked: Sequence[str] | None,
) -> Sequence[Sequence[SchemaSource]]:
    """Return at most ``MAX_TABLES`` groups of tables, best first; all of them if there are so few."""
    grouped = group_tables(contents.tables)
    if len(grouped.groups) <= MAX_TABLES:
        return grouped.groups
    if ranked is None:
        question = read_question(replace_synonyms(text, contents.synonyms))
        ranking = rank_tables(reader, question.text, contents.dataset, contents.tables)
        ranked = [table.name for table in ranking]
    return grouped.select(ranked, MAX_TABLES)


def _run(
    context: QuestionContext, reading: QuestionReading, corrections: Sequence[NameMatch] = ()
) -> Answer:
    request = context.request
    scope = Scope(reading.datasets, reading.source)
    answer = context.run(reading.query, scope)
    answer = replace(answer, mapped=(*corrections, *answer.mapped))
    confidence = round(reading.probability * compute_trust(answer), 4)
    fields = {
        "question": request.question,
        "llm_query": reading.query,
        "datasets": scope.datasets,
        "source": reading.source,
        "origin": "read",
        "confidence": confidence,
    }
    if confidence < request.min_confidence:
        answer = make_abstained(confidence, request.min_confidence)
    return context.trace.finish(answer, **fields)


def _answer_picked(
    context: QuestionContext, readings: Sequence[QuestionReading], pick: int
) -> Answer:
    if pick > len(readings):
        raise UsageError(
            f"there is no reading {pick}",
            where=f"the question has {len(readings)}",
            hint=f"ask without {CallOption.PICK} to see the readings",
        )
    return _run(context, readings[pick - 1])


def _offer(
    context: QuestionContext, refused: Answer, readings: Sequence[QuestionReading]
) -> Answer:
    best = readings[0]
    kind = ProblemKind.NOT_UNDERSTOOD
    if best.linked_words and best.linked_words == best.unexplained:
        names = ", ".join(map(repr, best.linked_words))
        message = f"the data have {names}, but no query with the other words has an answer"
    elif best.unexplained:
        # A word that no reading uses says most.
        unknown = [w for w in best.unexplained if all(w in r.unexplained for r in readings)]
        message = f"the data do not explain {', '.join(map(repr, unknown or best.unexplained))}"
    elif best.is_explained:
        kind = ProblemKind.NOT_PROBABLE
        message = f"no reading of the question is probable enough ({best.probability:.2f})"
    else:
        message = f"the best reading is not what the question means: {best.refusal}"
    offered = tuple(_make_choice(context, reading) for reading in readings[:OFFERED])
    answer = Answer(
        "not_askable",
        problems=(Problem(kind, message), *refused.problems),
        hints=refused.hints,
        readings=offered,
    )
    return context.trace.finish(
        answer, question=context.request.question, datasets=context.request.scope.datasets
    )


def _make_choice(context: QuestionContext, reading: QuestionReading) -> QueryReading:
    """A reading with its first values, by which a person chooses.

    It is not run after half of the time of the question: the refusal must arrive.
    """
    choice = QueryReading(
        reading.query,
        round(reading.probability, 4),
        reading.source,
        reading.datasets[0] if len(reading.datasets) == 1 else None,
    )
    if context.deadline.left() < context.deadline.seconds / 2:
        return choice
    short = replace(context, model=None, listen=None, evidence=0, limit=OFFERED_VALUES)
    answer = short.run(reading.query, Scope(reading.datasets, reading.source))
    return show_values(choice, answer)


def show_values(choice: QueryReading, answer: Answer) -> QueryReading:
    """Give a reading the first values of its answer."""
    if answer.outcome not in SUCCESS_OUTCOMES:
        return choice
    columns, rows = answer.table
    total = len(rows) + count_missing(answer)
    cells = tuple(cell for row in rows[:OFFERED_VALUES] for cell in row)
    return replace(choice, values=cells, columns=columns if answer.columns else (), total=total)
