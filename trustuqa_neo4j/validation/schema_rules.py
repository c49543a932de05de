"""Rules on the query against the schema: each yields the problems of the whole query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..language.ast import Problem, ProblemKind, Severity
from ..language.functions import get_row, has_trait
from ..language.signatures import Trait
from ..matching import suggest_names
from ..ontology.join_statistics import RelationEnd
from ..ontology.schema_knowledge import TailStatistics
from ..values import read_value
from .context import Conflict, ResolvedConstraint, ValidationContext, list_names
from .query_graph import ComparedValue


def check_direction(context: ValidationContext) -> Iterator[Problem]:
    """A relation must not be used in the wrong direction."""
    for fact in context.reversed_facts:
        constraint = context.graph.constraints_of(fact)[0]
        name = constraint.name
        relation = context.resolve_relation(name) or name
        start = context.schema.describe_nodes(RelationEnd("start", relation))
        end = context.schema.describe_nodes(RelationEnd("end", relation))
        if start and end:
            reason = f"{name} leads from {start} to {end}, but the query uses it in the opposite direction"
        else:
            reason = f"{name} is used in the opposite direction: the nodes after it only ever stand before it"
        exchange = f"exchange {' and '.join(context.end_names)} (in a path, {name} and ^{name})"
        message = f"{reason}; {exchange}."
        yield Problem(ProblemKind.DIRECTION, message, constraint.step, constraint.position)


def check_domain(context: ValidationContext) -> Iterator[Problem]:
    """The head of a relation must have a class from which the relation starts."""
    by_head: dict[tuple[int, RelationEnd, int], list[Conflict]] = {}
    for conflict in context.conflicts:
        if conflict.roles == ("class", "start"):
            head = conflict.ordered()[1].end
            key = (conflict.variable, head, conflict.later.constraint.step)
            by_head.setdefault(key, []).append(conflict)
    for (variable, head, _), conflicts in by_head.items():
        relations = [conflict.ordered()[0] for conflict in conflicts]
        hints = dict.fromkeys(context.path_hint(head, relation) for relation in relations)
        if "" in hints:  # no path leads to one of the relations
            hints[context.relations_from_hint(head, relations[0].name)] = None
        message = (
            f"{_describe_starts(context, relations)}, but {context.label(variable)} is "
            f"{context.describe_nodes(head)}, which is not a kind of that.{''.join(hints)}"
        )
        yield conflicts[0].later.problem(ProblemKind.DOMAIN, message)


def _describe_starts(context: ValidationContext, relations: Sequence[ResolvedConstraint]) -> str:
    names: dict[str, list[str]] = {}
    for relation in relations:
        names.setdefault(context.describe_nodes(relation.end), []).append(relation.name)
    return " and ".join(
        f"{list_names(same)} {'starts' if len(same) == 1 else 'start'} from {start}"
        for start, same in names.items()
    )


def check_range(context: ValidationContext) -> Iterator[Problem]:
    """The tail of a relation must have the class that the query demands, and one node no two classes."""
    for conflict in context.conflicts:
        relation, member = conflict.ordered()
        if conflict.roles == ("class", "end"):
            message = (
                f"{relation.name} leads to {context.describe_nodes(relation.end)}, but "
                f"the query needs {context.describe_nodes(member.end)}."
                f"{context.relations_to_hint(member.end, relation.name)}"
            )
            yield conflict.later.problem(ProblemKind.RANGE, message)
        elif conflict.roles == ("class", "class"):
            message = (
                f"nothing is both {context.describe_nodes(conflict.earlier.end)} and "
                f"{context.describe_nodes(conflict.later.end)}."
            )
            yield conflict.later.problem(ProblemKind.RANGE, message)


def check_double_domain(context: ValidationContext) -> Iterator[Problem]:
    """A node at the start of two relations must be able to have both."""
    domain_conflicts = {
        conflict.ordered()[0]
        for conflict in context.conflicts
        if conflict.roles == ("class", "start")
    }
    for conflict in context.conflicts:
        # The class of the head explains more than its other relations.
        if domain_conflicts.isdisjoint((conflict.earlier, conflict.later)) and (
            conflict.roles == ("start", "start")
        ):
            earlier, later = conflict.earlier, conflict.later
            hint = context.path_hint(earlier.end, later) or context.path_hint(later.end, earlier)
            hint = hint or context.relations_from_hint(earlier.end, later.name)
            message = _describe_double(context, conflict, "is the start of {} and of {}") + hint
            yield conflict.later.problem(ProblemKind.DOUBLE_DOMAIN, message)


def check_double_range(context: ValidationContext) -> Iterator[Problem]:
    """Two relations to one node must be able to lead to the same."""
    for conflict in context.conflicts:
        if conflict.roles == ("end", "end"):
            hint = context.relations_to_hint(conflict.earlier.end, conflict.later.name)
            message = _describe_double(context, conflict, "is reached by {} and by {}") + hint
            yield conflict.later.problem(ProblemKind.DOUBLE_RANGE, message)


def _describe_double(context: ValidationContext, conflict: Conflict, template: str) -> str:
    relations = (
        f"{resolved.name} ({context.describe_nodes(resolved.end)})"
        for resolved in (conflict.earlier, conflict.later)
    )
    text = template.format(*relations)
    return f"{context.label(conflict.variable)} {text}, and nothing is both."


def check_domain_range(context: ValidationContext) -> Iterator[Problem]:
    """A relation must be able to start where the one before it leads."""
    for conflict in context.conflicts:
        if conflict.roles == ("end", "start"):
            start, end = conflict.ordered()
            hint = context.path_hint(end.end, start)
            hint = hint or context.relations_from_hint(end.end, start.name)
            message = (
                f"{end.name} leads to {context.describe_nodes(end.end)}, but {start.name} "
                f"starts from {context.describe_nodes(start.end)}, and nothing is both.{hint}"
            )
            yield conflict.later.problem(ProblemKind.DOMAIN_RANGE, message)


def check_compared_ids(context: ValidationContext) -> Iterator[Problem]:
    """A name or number must not be compared with nodes that have no name."""
    schema = context.schema
    for compared in context.graph.comparisons:
        relation = context.resolve_relation(compared.relation)
        if relation is None or compared.operator not in ("=", "!="):
            continue  # check_comparable says more on an order
        end = RelationEnd("end", relation)
        if not schema.is_nameless(end) or compared.text in context.keys:
            continue
        values = schema.value_relations_from(end)
        hint = f"compare {list_names(values)} instead." if values else "they have no values."
        message = (
            f"{compared.relation} leads to nodes without a name{_in_brackets(schema.describe_nodes(end))}, "
            f"which {compared.text!r} cannot equal; {hint}"
        )
        yield Problem(ProblemKind.RANGE, message, compared.step, compared.position)


def check_identifier_output(context: ValidationContext) -> Iterator[Problem]:
    """The answer must not show nodes without a name, which are only ids."""
    schema = context.schema
    answer = context.graph.plan.steps[-1]
    for name, variable in context.graph.answer_columns():
        ends = [] if variable is None else [c.end for c in context.constraints_on(variable)]
        end = next(filter(schema.is_nameless, ends), None)
        if end is None:
            continue
        relations = schema.value_relations_from(end) or schema.named_relations_from(end)
        hint = f"; ask for {list_names(relations)} instead" if relations else ""
        subject = f"the column {name} shows" if name else "the answer is"
        message = (
            f"{subject} nodes without a name{_in_brackets(schema.describe_nodes(end))}, so it "
            f"has only ids{hint}."
        )
        position = answer.operation.position
        # Without a relation to ask for instead, the ids are all that can be shown.
        severity: Severity = "error" if relations else "doubt"
        yield Problem(ProblemKind.IDENTIFIER_OUTPUT, message, answer.number, position, severity)


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


_ORDER = frozenset(("<", "<=", ">", ">="))


def check_comparable(context: ValidationContext) -> Iterator[Problem]:
    """Order and arithmetic need numbers or dates."""
    for compared in context.graph.comparisons:
        if compared.operator in _ORDER:
            message = _describe_bad_comparison(context, compared)
            if message:
                yield Problem(ProblemKind.NOT_COMPARABLE, message, compared.step, compared.position)
    for use in context.graph.inputs:
        if use.variable is None or not get_row(use.function).needs:
            continue
        for resolved in context.constraints_on(use.variable):
            problem = _describe_bad_input(context, use.function, resolved)
            if problem:
                message, severity = problem
                yield Problem(ProblemKind.NOT_COMPARABLE, message, use.step, use.position, severity)
                break


def _describe_bad_comparison(context: ValidationContext, compared: ComparedValue) -> str:
    relation = context.resolve_relation(compared.relation)
    tails = context.schema.relations.get(relation or "", TailStatistics())
    if relation is None or not tails.facts:
        return ""
    if not tails.values:
        return (
            f"{compared.relation} leads to {_describe_tails(context, relation)}, which has no "
            f"order; compare it with = or !="
        )
    bound = read_value(compared.text)
    if bound is not None and (
        (bound.number is not None and tails.numbers) or (bound.start is not None and tails.dates)
    ):
        return ""
    expected = "date"
    if tails.numbers:
        expected = "number or a date" if tails.dates else "number"
    return (
        f"{compared.text!r} is not a {expected}, and {compared.relation} is compared by "
        f"{compared.operator}"
    )


def _describe_bad_input(
    context: ValidationContext, function: str, resolved: ResolvedConstraint
) -> tuple[str, Severity] | None:
    row = get_row(function)
    if resolved.end.role != "end":
        if row.upper is not None:
            return None  # nodes are compared by name
        nodes = _in_brackets(context.schema.describe_nodes(resolved.end))
        return f"{function} needs {row.needs}, but gets nodes{nodes}", "error"
    tails = context.schema.relations.get(resolved.end.name, TailStatistics())
    counts = {"numbers": tails.numbers, "dates": tails.dates, "values": tails.values}
    if not tails.facts or counts[row.needs] or (function == "-" and tails.dates):
        return None
    relation = context.resolve_relation(resolved.name) or resolved.name
    kind = _describe_tails(context, relation)
    if row.upper is not None:
        return f"{function} of {kind} ({resolved.name}) uses the alphabet", "warning"
    return f"{function} needs {row.needs}, and {resolved.name} leads to {kind}", "error"


def _describe_tails(context: ValidationContext, relation: str) -> str:
    tails = context.schema.relations.get(relation, TailStatistics())
    if tails.values:
        return "numbers" if tails.numbers else "dates"
    nodes = context.schema.describe_nodes(RelationEnd("end", relation))
    return nodes if nodes and nodes != "a value" else "text"


def check_columns(context: ValidationContext) -> Iterator[Problem]:
    """A table must have the columns that a function names."""
    for missing in context.graph.missing_columns:
        near = suggest_names(missing.column, missing.columns, most=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        message = f"the table has no column {missing.column!r}; {hint}it has {list_names(missing.columns)}"
        yield Problem(ProblemKind.UNKNOWN_COLUMN, message, missing.step, missing.position)


def warn_unused_steps(context: ValidationContext) -> Iterator[Problem]:
    """A step should be used by a later step or by the answer."""
    for step in context.graph.unused_steps():
        message = f"neither a later step nor the answer uses output_of_query{step}"
        yield Problem(ProblemKind.UNUSED_STEP, message, step, None, "warning")


def warn_rare_joins(context: ValidationContext) -> Iterator[Problem]:
    """Ends that share very few nodes may share only names."""
    for pair, shared in context.rare_joins:
        message = (
            f"only {shared:,} nodes are both what {_describe_role(pair.earlier)} and what "
            f"{_describe_role(pair.later)}; these may be different things with one name"
        )
        constraint = pair.later.constraint
        yield Problem(
            ProblemKind.HARDLY_EVER, message, constraint.step, constraint.position, "warning"
        )


def _describe_role(resolved: ResolvedConstraint) -> str:
    if resolved.end.role == "class":
        return f"is a {resolved.name}"
    return f"{resolved.name} {'starts from' if resolved.end.role == 'start' else 'leads to'}"


def warn_merged_values(context: ValidationContext) -> Iterator[Problem]:
    """A sum or mean of a set counts equal values once."""
    for use in context.graph.inputs:
        if use.is_set and has_trait(use.function, Trait.COUNTS_REPEATS):
            message = (
                f"{use.function} of a set: equal values count once; "
                "use the result of get_information itself if each shall count"
            )
            yield Problem(ProblemKind.MERGED_VALUES, message, use.step, use.position, "warning")
