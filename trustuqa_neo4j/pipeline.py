"""The stages of a query, once and in order: parse, resolve names, plan, validate, execute, prove.

``run`` executes all stages, ``check`` those before the execution. A stage that ends the query raises
``_Stopped``. Every stage adds to the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from .ablation import SystemPart, is_left_out
from .answer import Answer, CheckReport, Evidence, Outcome, rank_answer
from .errors import format_count
from .evidence import EVIDENCE
from .execution.answer import Final, Proven, is_computed, make_answer, summarize
from .execution.column_ends import find_column_ends
from .execution.context import ExecutionContext
from .execution.diagnostics import (
    UnmatchedName,
    contributing_steps,
    explain_missing_proof,
    first_empty_step,
    names_without_match,
    unknown_classes,
)
from .execution.executor import Executor
from .execution.grouping import merge_scans
from .execution.name_resolution import (
    ResolvedNames,
    add_entailments,
    doubtful_relations,
    resolve_names,
    resolve_relations,
    resolve_tables,
)
from .execution.paths import resolve_class_heads
from .graph.dataset_schema import describe_dataset
from .graph.ontology_store import load_schema_knowledge
from .language.ast import Problem, ProblemKind, Query
from .matching import NameMatch, normalize_name
from .model.dataset import Scope
from .ontology.schema_knowledge import TYPE, SchemaKnowledge, merge_axioms
from .planning.grounding import find_text_without_facts, make_problem
from .planning.operations import Constant, Plan, Search, TableChoice, Traverse, used_steps
from .reads.reader import Reader
from .reasoning.judgments import Judgments, allows_judgments, use_judgments
from .reasoning.results import EvaluationError, Nodes, StepOutcome, Table
from .trace import Listener, TraceBuilder
from .validation.context import ValidationContext
from .validation.query_form import QueryForm, parse, plan_query, read_form
from .validation.query_graph import build_query_graph
from .validation.question_coverage import (
    TableNames,
    check_question_coverage,
    list_possible_cells,
    makes_table,
)
from .validation.validate import check_schema

MAX_MENTIONED_TABLES = 8
"""Tables of a dataset whose columns a question may mention; of more, those that the query names."""


class _Stopped(Exception):
    """A stage ended the query with this outcome and these problems."""

    def __init__(
        self, outcome: Outcome, problems: Sequence[Problem], mapped: Sequence[NameMatch] = ()
    ) -> None:
        super().__init__(outcome)
        self.outcome: Outcome = outcome
        self.problems = tuple(problems)
        self.mapped = tuple(mapped)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A valid query; ``nearest`` are relations that were resolved by similarity."""

    query: Query
    scope: Scope
    names: ResolvedNames
    plan: Plan
    context: ValidationContext
    warnings: tuple[Problem, ...]
    nearest: tuple[NameMatch, ...]


def run(
    text: str,
    scope: Scope,
    reader: Reader,
    evidence: int = EVIDENCE,
    limit: int | None = None,
    inference: bool = True,
    judgments: Judgments | None = None,
    listen: Listener | None = None,
) -> Answer:
    """Run the LLM query in ``text`` over ``scope``.

    The answer has at most ``evidence`` facts, and ``limit`` values or rows. If ``inference`` is false, only
    stored facts count, not those that follow from them by the ontology. With ``judgments``, undefined
    functions and values that cannot be compared are judged, not refused. ``listen`` is called with each stage
    as it ends.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be queried.
        JudgmentMissing: the run needs this judgment; it can be repeated with it.
    """
    if judgments is None:
        return _run(text, scope, reader, evidence, limit, inference, listen)
    judgments.used.clear()
    with use_judgments(judgments):
        answer = _run(text, scope, reader, evidence, limit, inference, listen)
    return replace(answer, grounded=not judgments.used)


def _run(
    text: str,
    scope: Scope,
    reader: Reader,
    evidence: int,
    limit: int | None,
    inference: bool,
    listen: Listener | None,
) -> Answer:
    trace = TraceBuilder(listen)
    reader = trace.reader(reader)
    try:
        prepared = _prepare(text, scope, reader, trace, inference)
    except _Stopped as stop:
        problems = [problem for problem in stop.problems if problem.severity != "warning"]
        return trace.answer(stop.outcome, problems=problems, mapped=stop.mapped)
    plan, names = prepared.plan, prepared.names
    context = ExecutionContext(
        prepared.scope, names, reader, trace, target=plan.target, evidence=evidence
    )
    plan = merge_scans(plan, context)
    context.column_ends = find_column_ends(plan, context)
    executor = Executor(context)
    try:
        _execute(executor, plan, trace)
        return _prove(executor, replace(prepared, plan=plan), trace, evidence, limit)
    except _Stopped as stop:
        return trace.answer(stop.outcome, problems=stop.problems, mapped=tuple(names.matches))
    except EvaluationError as error:
        problem = Problem(error.kind, error.message, context.step, error.position)
        mapped = tuple(names.matches)
        unmatched = _unmatched_names(executor, prepared)
        faults = (problem, *(name.problem for name in unmatched))
        return trace.answer("rejected", problems=faults, mapped=mapped)


def check(
    text: str,
    scope: Scope,
    reader: Reader,
    question: str | None = None,
    inference: bool = True,
) -> CheckReport:
    """Validate the LLM query in ``text`` and run nothing.

    ``question`` adds warnings about what it mentions and the query does not use. ``inference`` as in ``run``.

    Raises:
        UnknownDataset, UnknownSource, IncompleteDataset: the scope cannot be queried.
    """
    trace = TraceBuilder()
    reader = trace.reader(reader)
    try:
        prepared = _prepare(text, scope, reader, trace, inference=inference)
    except _Stopped as stop:
        return CheckReport(stop.outcome, stop.problems, stop.mapped, tuple(trace.stages))
    names = prepared.names
    context = ExecutionContext(prepared.scope, names, reader, trace)
    unmatched = names_without_match(prepared.plan, context, prepared.context.schema)
    doubts = [name.problem for name in unmatched]
    uncovered: Iterable[Problem] = ()
    if question:
        is_table = makes_table(prepared.query)
        tables = _read_table_names(question, prepared, reader) if is_table else None
        uncovered = check_question_coverage(question, prepared.query, prepared.context, tables)
    mapped = tuple(dict.fromkeys((*prepared.nearest, *names.matches)))
    problems = (*prepared.warnings, *uncovered, *doubts)
    return CheckReport(None, problems, mapped, tuple(trace.stages))


def _read_table_names(question: str, prepared: _Prepared, reader: Reader) -> TableNames | None:
    """Read the columns and cells that ``question`` may mention; None without tables, or with too many."""
    scope, names = prepared.scope, prepared.names
    if len(scope.datasets) != 1:
        return None
    schema = describe_dataset(reader, scope.datasets[0], scope.source)
    tables = {} if schema is None else {s.name: s for s in schema.sources if s.kind == "table"}
    if len(tables) > MAX_MENTIONED_TABLES:
        tables = {name: table for name, table in tables.items() if name in names.tables}
    if not tables:
        return None
    spans = list_possible_cells(question)
    parameters = {"dataset": scope.datasets[0], "spans": spans, "texts": [], "limit": 1}
    rows = reader.run("find_table_words", **parameters)
    cells = [row["span"] for row in rows if not tables.keys().isdisjoint(row["sources"])]
    columns = dict.fromkeys(column for table in tables.values() for column in table.columns)

    def resolve_column(name: str) -> str | None:
        resolved = [names, *names.tables.values()]
        tiers = next((entry.relations[name] for entry in resolved if entry.relations.get(name)), ())
        return tiers[0].names[0] if tiers else None

    return TableNames(tuple(columns), tuple(cells), resolve_column)


def check_form(text: str) -> CheckReport:
    """Validate the form of the LLM query in ``text``, without any data."""
    trace = TraceBuilder()
    try:
        plan = _plan(_parse(text, trace), ResolvedNames(), trace)
        if (literal := find_text_without_facts(plan)) is not None:
            raise _Stopped("rejected", (make_problem(literal, None, plan.steps[-1].number),))
        graph = build_query_graph(plan, lambda _: False)
        warnings = _validate(ValidationContext(graph, SchemaKnowledge(), lambda _: None), trace)
    except _Stopped as stop:
        return CheckReport(stop.outcome, stop.problems, trace=tuple(trace.stages))
    return CheckReport(None, warnings, trace=tuple(trace.stages))


def _prepare(
    text: str,
    scope: Scope,
    reader: Reader,
    trace: TraceBuilder,
    inference: bool = True,
) -> _Prepared:
    form = _parse(text, trace)
    scope, tables = _choose_tables(form, scope, reader)
    names = _resolve(form, scope, tables, reader, trace)
    scope = replace(scope, source=names.source)
    schemas = [
        load_schema_knowledge(dataset, stamp, reader) for dataset, stamp in names.stamps.items()
    ]
    if inference and schemas:
        add_entailments(names, merge_axioms(schemas), scope, reader)
    plan = _plan(form, names, trace, tables)
    # Several datasets are joined by names; no schema covers a join.
    checked = not is_left_out(SystemPart.CHECK)
    has_schema = checked and len(scope.datasets) == 1 and len(schemas) == 1
    knowledge = schemas[0] if has_schema else None
    _require_facts(plan, scope, reader)
    missing, nearest = _resolve_nearest(plan, names, scope, reader, trace, knowledge)
    resolve_class_heads(plan, ExecutionContext(scope, names, reader, trace))
    context = _validation_context(plan, names, knowledge, nearest)
    warnings = _validate(context, trace) if checked else ()
    warnings = (*missing, *warnings)
    if any(problem.severity == "error" for problem in missing):
        raise _Stopped("not_askable", warnings, names.matches)
    doubts = doubtful_relations(plan, names, scope, knowledge)
    read_as = [m for name in nearest for m in names.relations[name][0].mapped(name)]
    return _Prepared(form.query, scope, names, plan, context, (*warnings, *doubts), tuple(read_as))


def _parse(text: str, trace: TraceBuilder) -> QueryForm:
    query = trace.timed("parse", text, lambda: parse(text))
    if isinstance(query, tuple):
        raise _Stopped("failed", query)
    form = QueryForm(text, query)

    def check_steps() -> tuple[Problem, ...]:
        nonlocal form
        form = read_form(text, query)
        return _without_judged(form.problems, ProblemKind.UNKNOWN_FUNCTION)

    problems = trace.timed("check", format_count(len(query.steps), "step"), check_steps)
    if problems:
        raise _Stopped("rejected", problems)
    return form


def _without_judged(problems: tuple[Problem, ...], kind: ProblemKind) -> tuple[Problem, ...]:
    """The problems without those of a kind that judgments may solve, if there may be any."""
    if not allows_judgments():
        return problems
    return tuple(problem for problem in problems if problem.kind is not kind)


def _choose_tables(form: QueryForm, scope: Scope, reader: Reader) -> tuple[Scope, dict[str, str]]:
    """Return the sources of the tables that calls name; a single one of all calls becomes the scope."""
    if not form.tables:
        return scope, {}
    sources, problems = resolve_tables(form.tables, scope, reader)
    if problems:
        raise _Stopped("rejected", problems)
    if form.are_tables_named and len(set(sources.values())) == 1:
        return replace(scope, source=next(iter(sources.values()))), {}
    return scope, sources


def _resolve(
    form: QueryForm, scope: Scope, tables: Mapping[str, str], reader: Reader, trace: TraceBuilder
) -> ResolvedNames:
    started = perf_counter()
    relations, entities = form.relations, form.entities
    names = resolve_names(relations, entities, scope, reader, form.first_step)
    for source in dict.fromkeys(tables.values()):
        in_source = replace(scope, source=source)
        names.add_table(resolve_names(relations, entities, in_source, reader))
    tiers = names.relations | names.entities
    matches = [
        f"{name!r} {found[0].how} {', '.join(map(repr, found[0].names[:3]))}"
        for name, found in tiers.items()
        if found
    ]
    unknown = [repr(name) for name, found in tiers.items() if not found]
    if unknown:
        matches.append(f"unknown: {', '.join(unknown)}")
    counts = f"{format_count(len(relations), 'relation')}, {format_count(len(entities), 'name')}"
    trace.add("map", counts, "; ".join(matches), started)
    return names


def _plan(
    form: QueryForm,
    names: ResolvedNames,
    trace: TraceBuilder,
    tables: Mapping[str, str] | None = None,
) -> Plan:
    choices = {
        text: TableChoice(source, names.tables[source].statistics)
        for text, source in (tables or {}).items()
    }
    count = format_count(len(form.query.steps), "step")
    plan = trace.timed("plan", count, lambda: plan_query(form, names.statistics, choices))
    if isinstance(plan, tuple):
        raise _Stopped("rejected", plan)
    return plan


def _require_facts(plan: Plan, scope: Scope, reader: Reader) -> None:
    """Refuse a query that answers with a text of its own."""
    text = find_text_without_facts(plan)
    if text is not None:
        raise _Stopped("rejected", (_make_problem(text, plan, scope, reader),))


def _make_problem(text: Constant, plan: Plan, scope: Scope, reader: Reader) -> Problem:
    tiers = resolve_names((text.text,), (), scope, reader).relations.get(text.text, ())
    relation = tiers[0].names[0] if tiers else None
    return make_problem(text, relation, plan.steps[-1].number)


def _require_names(last: StepOutcome, prepared: _Prepared, reader: Reader) -> None:
    """Refuse texts of the query in an answer that name nothing in the data and that no condition chose."""
    if isinstance(last, Nodes):
        return
    rows = last.rows if isinstance(last, Table) else (last.members,)
    resolved = (prepared.names, *prepared.names.tables.values())
    for cell in (cell for row in rows for cell in row if cell.is_literal):
        if not any(names.entities.get(cell.text) for names in resolved):
            plan = prepared.plan
            position = getattr(plan.steps[-1].operation, "position", 0)
            text = Constant(cell.text, position)
            raise _Stopped("rejected", (_make_problem(text, plan, prepared.scope, reader),))


def _resolve_nearest(
    plan: Plan,
    names: ResolvedNames,
    scope: Scope,
    reader: Reader,
    trace: TraceBuilder,
    knowledge: SchemaKnowledge | None,
) -> tuple[list[Problem], dict[str, str]]:
    """Resolve unknown relations by similarity; return problems, and the names with their new relations.

    Missing relations are only warnings if the answer uses none of them.
    """
    started, sent_before = perf_counter(), len(trace.sent)
    before = {name for name, tiers in names.relations.items() if tiers}
    missing = resolve_relations(plan, names, scope, reader, knowledge)
    for source, in_table in names.tables.items():
        in_source = replace(scope, source=source)
        missing += resolve_relations(plan, in_table, in_source, reader, knowledge, source)
    steps = contributing_steps(plan)
    if not any(problem.step in steps for problem in missing):
        missing = [replace(problem, severity="warning") for problem in missing]
    if len(trace.sent) > sent_before:
        result = f"{len(missing)} unknown relations" if missing else "by the nearest names"
        trace.add("map", "relations that nothing is called", result, started)
    missing += unknown_classes(plan, names, scope, knowledge)
    nearest = {
        name: tiers[0].names[0]
        for name, tiers in names.relations.items()
        if tiers and name not in before
    }
    return missing, nearest


def _validation_context(
    plan: Plan,
    names: ResolvedNames,
    knowledge: SchemaKnowledge | None,
    nearest: Mapping[str, str],
) -> ValidationContext:
    vocabulary = knowledge or SchemaKnowledge()

    def read_relation(name: str) -> str | None:
        return names.read_relation(name, vocabulary)

    def is_type(name: str) -> bool:
        return normalize_name(read_relation(name) or name) == TYPE

    class_heads = {head: members.name for head, members in names.class_heads.items()}
    graph = build_query_graph(plan, names.is_selector, is_type, class_heads)
    return ValidationContext(graph, vocabulary, read_relation, names.keys, nearest)


def _validate(context: ValidationContext, trace: TraceBuilder) -> tuple[Problem, ...]:
    problems = trace.timed(
        "check",
        "what the steps ask of the data",
        lambda: _without_judged(check_schema(context), ProblemKind.NOT_COMPARABLE),
    )
    if any(problem.severity == "error" for problem in problems):
        raise _Stopped("rejected", problems)
    return problems


def _execute(executor: Executor, plan: Plan, trace: TraceBuilder) -> None:
    context = executor.context
    for step in plan.steps:
        started = perf_counter()
        operation, earlier = str(step.operation), used_steps(step.operation)
        try:
            outcome = executor.evaluate_step(step.number, step.operation)
        except EvaluationError as error:
            reason = f"step {step.number}: {error.message}"
            trace.add("execute", operation, reason, started, step.number, earlier)
            raise
        notes = [note.message for note in context.notes if note.step == step.number]
        remarks = "".join(f"; {remark}" for remark in [*notes, *context.remarks][:5])
        result = f"step {step.number}: {summarize(outcome)}{remarks}"
        trace.add("execute", operation, result, started, step.number, earlier)


def _prove(
    executor: Executor,
    prepared: _Prepared,
    trace: TraceBuilder,
    evidence: int,
    limit: int | None,
) -> Answer:
    started = perf_counter()
    context, plan = executor.context, prepared.plan
    number, operation = plan.steps[-1].number, plan.steps[-1].operation
    last = context.results[number]
    _require_names(last, prepared, context.reader)
    # Rows are shown by the columns of the table that they were searched in.
    with context.in_table(operation.table if isinstance(operation, Search | Traverse) else None):
        proof = make_answer(executor, number, evidence)
    final, mapped = proof.final, tuple(context.names.matches)
    unmatched = _unmatched_names(executor, prepared)
    if any(name.is_absent for name in unmatched) and is_computed(last):
        # A number or truth about a name that the data does not have is not an answer.
        final, proof = Final(()), Proven(Final(()), [], 0, proof.considered)
    cut = final.size if limit is not None and final.size > limit else None
    doubts = () if final.values else first_empty_step(plan, context.results)
    # Each doubt of the validation may be the reason why nothing was found.
    explanations = [
        problem for problem in prepared.warnings if problem.severity == "doubt" and not final.values
    ]
    count = f"{proof.total:,} of {proof.considered:,} facts"
    result = "; ".join((count, *(doubt.message for doubt in doubts)))
    steps = contributing_steps(plan)
    notes = tuple(dict.fromkeys(note for note in context.notes if note.step in steps))
    if final.values and not proof.total:
        notes += explain_missing_proof(plan, steps)
    trace.add("prove", summarize(last), result, started)
    answer = trace.answer(
        "answered" if final.values else "empty",
        values=final.values if cut is None else final.values[:limit],
        columns=final.columns,
        rows=final.rows if cut is None or final.rows is None else final.rows[:limit],
        problems=(*explanations, *(name.problem for name in unmatched)),
        mapped=mapped,
        evidence=proof.facts if cut is None else _cut_answers(proof.facts, limit or 0),
        evidence_total=proof.total,
        considered_total=proof.considered,
        evidence_counts=proof.counts if cut is None else proof.counts[:limit],
        evidence_steps=proof.by_step,
        notes=notes,
        truncated=context.truncated or cut,
        doubts=doubts,
    )
    return answer if answer.truncated else rank_answer(answer)


def _cut_answers(facts: Sequence[Evidence], limit: int) -> list[Evidence]:
    """Leave out the places of answers that are not there."""
    return [replace(f, answers=tuple(a for a in f.answers if a < limit)) for f in facts]


def _unmatched_names(executor: Executor, prepared: _Prepared) -> list[UnmatchedName]:
    context, plan = executor.context, prepared.plan
    if context.empty_steps.isdisjoint(contributing_steps(plan)):
        return []
    search = ExecutionContext(context.scope, context.names, context.reader, context.trace)
    return names_without_match(plan, search, prepared.context.schema)
