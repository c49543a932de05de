"""Names that the data does not have: each is read as the nearest name of a pool, or noted as unknown.

A name in a set function is first searched among the members of the sets beside it, then in the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..language.ast import ProblemKind
from ..language.selectors import find_selector
from ..matching import MatchTier, NameMatch, ScoredName, is_near_value, normalize_name
from ..matching.similarity import CLOSED_LIST_REPEATS, MAX_NAME_WORDS, MIN_CLOSED_LIST
from ..model.dataset import Scope
from ..planning.operations import Constant, Operation, walk_operations
from ..reads.nearest import EXACT, Pool, near_nodes
from ..reasoning.conditions import read_month
from ..reasoning.results import Cell, EvaluationError
from ..values import read_value
from .context import ExecutionContext

_SUGGESTIONS = 3  # Nearest names that a message lists.


def read_nearest(context: ExecutionContext, text: str, pool: Pool) -> list[int]:
    """Return the nodes whose name in the pool is nearest to ``text``; numbers and dates have none.

    If no name is near enough, ``unknown_names`` of the context gets the nearest.
    """
    if read_value(text) is not None:
        return []
    near = _find_near(context, text, pool)
    is_open = _is_open_column(context, pool, near)
    if not near or not is_near_value(near[0], context.names.has_vectors, is_open):
        suggestions = _list_names(near)
        context.unknown_names[text] = suggestions or context.unknown_names.get(text, ())
        context.remarks.append(f"{text!r} is unknown" + describe_near(suggestions, "near: "))
        return []
    best = near[0]
    context.names.matches.append(NameMatch(text, best.name, "nearest", round(best.score, 3)))
    same = (c.node for c in near if c.name == best.name and c.node is not None)
    return list(dict.fromkeys(same))


def _is_open_column(context: ExecutionContext, pool: Pool, near: Sequence[ScoredName]) -> bool:
    # A closed list, such as the countries of customers, has all names that there are, and so has a column
    # that names each row once: a name that it does not have is not in the data.
    values = len(near)
    if not context.names.is_table or pool.side != "tail" or not 0 < values <= EXACT:
        return False
    if len(pool.relations) > 1:
        return False  # a head: the table has its row, or it has not
    columns = [
        context.names.columns[name] for name in pool.relations if name in context.names.columns
    ]
    facts = sum(column.facts for column in columns)
    texts = facts - sum(column.numbers + column.dates for column in columns)
    words = sum(len(candidate.name.split()) for candidate in near)
    is_key = texts <= values and words <= MAX_NAME_WORDS * values
    is_closed = texts * 2 > facts and (is_key or texts >= CLOSED_LIST_REPEATS * values)
    return not (is_closed and values >= MIN_CLOSED_LIST)


def suggest_near(context: ExecutionContext, text: str) -> tuple[str, ...]:
    return context.unknown_names.get(text, ()) or _list_names(
        _find_near(context, text, scope_pool(context))
    )


def _find_near(context: ExecutionContext, text: str, pool: Pool) -> list[ScoredName]:
    if not pool.size or not text.strip():
        return []
    return near_nodes(context.reader, text, context.scope.datasets, pool, context.names.has_vectors)


def _list_names(near: Sequence[ScoredName]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(candidate.name for candidate in near[:_SUGGESTIONS]))


def scope_pool(context: ExecutionContext) -> Pool:
    return Pool((), "any", context.scope.source, 1)


def describe_unknown(scope: Scope, text: str, suggestions: Iterable[str]) -> str:
    return f"{scope} has no {text!r}" + describe_near(suggestions, "the nearest are ")


def describe_near(suggestions: Iterable[str], label: str) -> str:
    names = ", ".join(repr(name[:60]) for name in suggestions)
    return f"; {label}{names}" if names else ""


def resolve_members(
    context: ExecutionContext, sets: Sequence[Sequence[Cell]], operation: Operation
) -> list[tuple[Cell, ...]]:
    """Replace names of the query in ``sets`` by the members, else by the nodes, that they mean.

    Raises:
        EvaluationError: no member and no node has the name or a near one.
    """
    members = {cell.node: cell for cells in sets for cell in cells if cell.node is not None}
    names = frozenset(
        part.text for part in walk_operations(operation) if isinstance(part, Constant)
    )
    resolver = _MemberResolver(context, members, names, operation)
    return [tuple(part for cell in cells for part in resolver.resolve(cell)) for cells in sets]


class _MemberResolver:
    def __init__(
        self,
        context: ExecutionContext,
        members: Mapping[int, Cell],
        names: frozenset[str],
        operation: Operation,
    ) -> None:
        self.context = context
        self.members = members
        self.names = names
        self.operation = operation
        self.normalized = {normalize_name(cell.text) for cell in members.values()}

    def resolve(self, cell: Cell) -> tuple[Cell, ...]:
        if cell.node is not None:
            return (cell,)
        tiers = self.context.names.entities.get(cell.text, ())
        tier = next((t for t in tiers if not self.members.keys().isdisjoint(t.nodes)), None)
        if tier is not None:
            candidates = tuple(c for c in tier.candidates if c.node in self.members)
            matches = MatchTier(tier.how, candidates).mapped(cell.text)
            self.context.names.matches += matches
            return tuple(self.members[node] for node in tier.nodes if node in self.members)
        if not self._is_open_name(cell):
            return (cell,)
        return self._resolve_earlier(cell) or self._resolve_in_scope(cell, tiers)

    def _is_open_name(self, cell: Cell) -> bool:
        return (
            bool(self.members)
            and cell.text in self.names
            and cell.computed is None
            and cell.value is None
            and bool(cell.text.strip())
            and find_selector(cell.text) is None
            and read_month(cell.text) is None
            and normalize_name(cell.text) not in self.normalized
        )

    def _resolve_earlier(self, cell: Cell) -> tuple[Cell, ...]:
        # An earlier step has read the same text as this member.
        used = {
            match.used
            for match in self.context.names.matches
            if match.given == cell.text and match.how == "nearest"
        }
        return tuple(member for member in self.members.values() if member.text in used)

    def _resolve_in_scope(self, cell: Cell, tiers: Sequence[MatchTier]) -> tuple[Cell, ...]:
        context = self.context
        nodes = list(self._stored_nodes(tiers))
        suggestions: list[str] = []
        for pool in () if nodes else (self._member_pool(), scope_pool(context)):
            nodes = read_nearest(context, cell.text, pool)
            if nodes:
                break
            suggestions += context.unknown_names.get(cell.text, ())
        if not nodes:
            message = describe_unknown(
                context.scope, cell.text, dict.fromkeys(suggestions[:_SUGGESTIONS])
            )
            raise EvaluationError(ProblemKind.UNKNOWN_NAME, message, self._position(cell.text))
        cells = context.values(nodes)
        return tuple(self.members.get(node, cells[node]) for node in nodes if node in cells)

    def _stored_nodes(self, tiers: Sequence[MatchTier]) -> Sequence[int]:
        nodes = tiers[0].nodes if tiers else ()
        source = self.context.scope.source
        if not nodes or source is None:
            return nodes
        stored: set[int] = set()
        for statement in ("nodes_with_incoming", "nodes_with_outgoing"):
            rows = self.context.reader.run(
                statement,
                datasets=self.context.datasets,
                nodes=list(nodes),
                relations=[],
                source=source,
            )
            stored.update(rows[0]["nodes"])
        return [node for node in nodes if node in stored]

    def _member_pool(self) -> Pool:
        nodes = frozenset(
            node
            for node, cell in self.members.items()
            if cell.value is None and cell.position is None
        )
        return Pool((), "any", None, len(nodes), nodes)

    def _position(self, text: str) -> int | None:
        return next(
            (
                part.position
                for part in walk_operations(self.operation)
                if isinstance(part, Constant) and part.text == text
            ),
            None,
        )
