"""``get_table``, ``calculate`` and ``group_by``: rows along paths, computed columns, groups."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from .conditions import are_equal, are_numbers, find_extremes, keep_members, rank
from .durations import count_days
from .functions import FUNCTIONS, add, make_number, proof_of
from .model import Bag, Member, Refusal, Table, Unspecified, Values, convert, fold
from .searches import Hit, Search, Term, distinct

MISSING = Member("", missing=True)


@dataclass(frozen=True)
class PathStep:
    relation: str
    walk: str = ""
    is_backwards: bool = False
    is_optional: bool = False


@dataclass(frozen=True)
class Path:
    steps: tuple[PathStep, ...]
    name: str


def read_path(text: str) -> Path:
    """``crew#2 > ^born in > site? as name``."""
    walk, _, name = text.partition(" as ")
    steps = []
    for part in walk.split(">"):
        match = re.fullmatch(r"(\^?)(.+?)(#\d+)?(\?)?", part.strip())
        assert match is not None
        steps.append(PathStep(match[2], match[3] or "", bool(match[1]), bool(match[4])))
    return Path(tuple(steps), name.strip() or steps[-1].relation)


# get_table


def make_table(search: Search, heads: tuple[Term, ...] | None, paths: Sequence[Path]) -> Table:
    """One row for each combination of what the paths lead to; equal beginnings share the node."""
    first = next((p.steps[0] for p in paths if not p.steps[0].is_optional), paths[0].steps[0])
    prefixes = list(dict.fromkeys(_prefix(p, n) for p in paths for n in range(1, len(p.steps) + 1)))
    optional = {
        _prefix(p, n): p.steps[n - 1].is_optional for p in paths for n in range(1, len(p.steps) + 1)
    }
    for path in paths:
        for n in range(1, len(path.steps) + 1):
            if path.steps[n - 1].is_optional != optional[_prefix(path, n)]:
                raise Unspecified("paths that differ in what may be missing")
    rows: list[tuple[Member, ...]] = []
    for head in _find_heads(search, heads, first):
        ways: list[dict[object, Member]] = [{(): replace(head)}]
        for prefix in prefixes:
            ways = [
                {**way, prefix: member}
                for way in ways
                for member in _follow(search, way[prefix[:-1]], prefix[-1], optional[prefix])
            ]
        rows += [tuple(way[p] for p in [(), *prefixes]) for way in ways]
    search.found_nothing |= not rows
    places = {prefix: place for place, prefix in enumerate([(), *prefixes])}
    columns = [places[_prefix(path, len(path.steps))] for path in paths]
    return Table(
        tuple(path.name for path in paths),
        tuple(tuple(row[c] for c in columns) for row in rows),
        tuple(proof_of(row) for row in rows),
        frozenset().union(*(proof_of(row) for row in rows)),
    )


def _prefix(path: Path, length: int) -> tuple[tuple[str, str, bool], ...]:
    return tuple((s.relation, s.walk, s.is_backwards) for s in path.steps[:length])


def _find_heads(search: Search, heads: tuple[Term, ...] | None, first: PathStep) -> Bag:
    relations = search.relations((first.relation,))
    if heads is None:
        hits = search.hits(relations, None)
        starts = search.tails(hits) if first.is_backwards else search.heads(hits)
        return tuple(replace(m, proof=frozenset()) for m in distinct(starts))
    members: list[Member] = []
    for term in heads:
        members += _of_name(search, term.name, relations, first) if term.name else term.members
    if not search.data.rows or first.is_backwards:
        return distinct(tuple(members))
    return distinct(tuple(row for m in members for row in _rows_of(search, m)))


def _rows_of(search: Search, member: Member) -> Bag:
    """The row of a cell, or the rows that hold a name."""
    rows = search.data.rows
    if member.node in rows or member.row is not None:
        row = member.node if member.node in rows else member.row
        return (search.member(row or "", proof=member.proof),)
    holders = dict.fromkeys(
        f.head for f in search.data.facts if f.tail == member.node and f.head in rows
    )
    return tuple(search.member(row) for row in holders)


def _of_name(search: Search, name: str, relations: frozenset[str], first: PathStep) -> Bag:
    """The nodes of a name that have the first relation; without any, those that have the name."""
    facts = [f for f in search.data.facts if f.relation in relations]
    starts = {f.tail if first.is_backwards else f.head for f in facts}
    tiers = [tier for tier in search.tiers(name) if tier]
    if not tiers and search.is_unknown(name):
        search.missing.append(name)
    nodes = next((tier for tier in tiers if tier & starts), tiers[0] if tiers else set())
    if first.is_optional and nodes & starts and nodes - starts:
        raise Unspecified("homonyms without the first relation")
    return tuple(search.member(node) for node in sorted(nodes))


def _follow(search: Search, member: Member, step: tuple[str, str, bool], is_optional: bool) -> Bag:
    relation, _, is_backwards = step
    relations = search.relations((relation,))
    ends: Bag = ()
    if member.node is not None:
        facts = [f for f in search.data.facts if f.relation in relations]
        hits = [
            Hit(f, f.places) for f in facts if member.node == (f.tail if is_backwards else f.head)
        ]
        ends = search.heads(hits) if is_backwards else search.tails(hits)
    return ends or ((MISSING,) if is_optional else ())


# calculate


def find_column(table: Table, name: str) -> int:
    if name in table.columns:
        return table.columns.index(name)
    folded = [fold(column) for column in table.columns]
    if fold(name) not in folded:
        raise Refusal(f"no column {name}")
    return folded.index(fold(name))


def column(table: Table, place: int) -> Bag:
    return tuple(
        replace(row[place], proof=row[place].proof | proof)
        for row, proof in zip(table.rows, table.proofs, strict=True)
        if not row[place].missing
    )


def calculate(table: Table, expression: str, name: str, values: Values) -> Table:
    compute = compile_expression(table.columns, expression, values)
    rows = tuple((*row, compute(row)) for row in table.rows)
    return replace(table, columns=(*table.columns, name), rows=rows)


Compute = Callable[[Sequence[Member]], Member]


def compile_expression(columns: tuple[str, ...], text: str, values: Values) -> Compute:
    """An expression of columns, numbers, ``+ - * /``, brackets and the four functions."""
    body = text
    names = sorted(
        {c for c in columns if re.search(rf"(?<!\w){re.escape(c)}(?!\w)", text)},
        key=len,
        reverse=True,
    )
    for place, name in enumerate(names):
        body = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", f"column_{place}", body)
    by_name = {f"column_{place}": columns.index(name) for place, name in enumerate(names)}
    return _compile(ast.parse(body, mode="eval").body, by_name, values)


def _compile(tree: ast.expr, columns: dict[str, int], values: Values) -> Compute:
    match tree:
        case ast.Name(id=name):
            if name not in columns:
                raise Refusal(f"no column {name}")
            return lambda row: row[columns[name]]
        case ast.Constant(value=str() as text):
            return lambda row: Member(text, values.get(text))
        case ast.Constant(value=int() | float() as number):
            return lambda row: make_number(float(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _compile(operand, columns, values)
            return _computed(lambda a: make_number(-_number(a)), inner)
        case ast.BinOp(left=left, op=operator, right=right):
            parts = (_compile(left, columns, values), _compile(right, columns, values))
            return _computed(_OPERATORS[type(operator)], *parts)
        case ast.Call(func=ast.Name(id=function), args=arguments):
            digits = 0
            if function == "round" and len(arguments) == 2:
                last = arguments[1]
                assert isinstance(last, ast.Constant)
                assert isinstance(last.value, int)
                digits, arguments = last.value, arguments[:1]
            compute = _FUNCTIONS[function]
            parts = tuple(_compile(argument, columns, values) for argument in arguments)
            return _computed(lambda *cells: compute(digits, *cells), *parts)
    raise Refusal("no expression")


def _computed(compute: Callable[..., Member], *parts: Compute) -> Compute:
    """A missing cell makes the result missing."""

    def compute_row(row: Sequence[Member]) -> Member:
        cells = [part(row) for part in parts]
        return MISSING if any(cell.missing for cell in cells) else compute(*cells)

    return compute_row


def _number(cell: Member) -> float:
    if cell.value is None or cell.value.number is None:
        raise Refusal("a number is needed")
    return cell.value.number


def _add(a: Member, b: Member) -> Member:
    if a.value is None or a.value.number is None or b.value is None or b.value.number is None:
        raise Unspecified("a text in a sum of two columns")
    total = add((a, b))[0]
    return make_number(_number(total))


def _subtract(a: Member, b: Member) -> Member:
    if (
        a.value is not None
        and b.value is not None
        and a.value.number is None
        and b.value.number is None
    ):
        return _days_between(0, b, a)
    if a.value is None or b.value is None or a.value.number is None or b.value.number is None:
        raise Refusal("a number is needed")
    number = convert(b.value, a.value.unit)
    if number is None:
        raise Refusal("several units")
    return make_number(a.value.number - number)


def _divide(a: Member, b: Member) -> Member:
    if _number(b) == 0:
        raise Refusal("division by zero")
    return make_number(_number(a) / _number(b))


def _days_between(_: int, a: Member, b: Member) -> Member:
    if a.value is None or a.value.first is None or b.value is None or b.value.first is None:
        raise Refusal("a date is needed")
    return make_number(float(count_days(a.value.first, b.value.first)))


def _year(_: int, a: Member) -> Member:
    if a.value is None or a.value.first is None:
        raise Refusal("a date is needed")
    return make_number(float(a.value.first // 10000))


def round_number(digits: int, a: Member) -> Member:
    exact = Decimal(repr(_number(a)))
    return make_number(float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)))


_OPERATORS: dict[type, Callable[[Member, Member], Member]] = {
    ast.Add: _add,
    ast.Sub: _subtract,
    ast.Mult: lambda a, b: make_number(_number(a) * _number(b)),
    ast.Div: _divide,
}
_FUNCTIONS: dict[str, Callable[..., Member]] = {
    "days_between": _days_between,
    "year": _year,
    **{
        part: lambda _, a, part=part: FUNCTIONS[part](((a,),))[0]  # type: ignore[misc]
        for part in ("month", "quarter", "decade", "month_name", "weekday")
    },
    "abs": lambda _, a: make_number(abs(_number(a))),
    "round": round_number,
}


# group_by

_AGGREGATE = re.compile(
    r"(sum|mean|median|min|max|count|count_distinct)\(([^()]*(?:\([^()]*\)[^()]*)*)\)"
)


def group_rows(table: Table, by: Sequence[str], aggregates: Sequence[str], values: Values) -> Table:
    """One row for each combination of values in the columns ``by``; without them, all are one group."""
    places = [find_column(table, name) for name in by]
    groups: dict[object, list[int]] = {}
    for number, row in enumerate(table.rows):
        groups.setdefault(tuple(row[place].identity for place in places), []).append(number)
    names, computes = [], []
    for aggregate in aggregates:
        text, _, name = aggregate.partition(" as ")
        parts = [_aggregate(table, m[1], m[2], values) for m in _AGGREGATE.finditer(text)]
        names.append(name.strip() or text.strip())
        part_names = tuple(f"part_{n}" for n in range(len(parts)))
        unused = iter(part_names)
        outer = _AGGREGATE.sub(lambda _: next(unused), text)  # noqa: B023 # used at once
        is_alone = outer.strip() == "part_0"
        computes.append(
            (parts, None if is_alone else compile_expression(part_names, outer.strip(), values))
        )
    rows, proofs = [], []
    for numbers in groups.values():
        cells = [
            parts[0](numbers) if outer is None else outer([part(numbers) for part in parts])
            for parts, outer in computes
        ]
        rows.append((*(table.rows[numbers[0]][place] for place in places), *cells))
        proofs.append(frozenset[object]().union(*(table.proofs[n] for n in numbers)))
    columns = (*(table.columns[place] for place in places), *names)
    return Table(columns, tuple(rows), tuple(proofs), table.considered)


def _aggregate(
    table: Table, function: str, text: str, values: Values
) -> Callable[[list[int]], Member]:
    if not text.strip():
        return lambda numbers: make_number(float(len(numbers)))
    compute = compile_expression(table.columns, text.strip(), values)
    cells = [compute(row) for row in table.rows]
    present = tuple(cell for cell in cells if not cell.missing)
    if function in ("sum", "mean", "median") and present:
        add(present)  # refused if the whole column is
    return lambda numbers: aggregate_cells(
        function, tuple(c for n in numbers if not (c := cells[n]).missing)
    )


def aggregate_cells(function: str, cells: Bag) -> Member:
    if function == "count":
        return make_number(float(len(cells)))
    if function == "count_distinct":
        return make_number(float(len(distinct(cells))))
    if not cells:
        return MISSING
    if function in ("min", "max"):
        edge = find_extremes(cells, function == "max")
        if len({cell.text for cell in edge}) > 1:
            raise Unspecified("equal extremes, written in several ways")
        return edge[0] if edge else MISSING
    if not any(cell.value and cell.value.number is not None for cell in cells):
        return MISSING
    return add(cells, function)[0]


# rows


def pick(table: Table, numbers: Sequence[int]) -> Table:
    rows, proofs = (tuple(of[n] for n in numbers) for of in (table.rows, table.proofs))
    return replace(table, rows=rows, proofs=proofs)


def keep_rows(table: Table, place: int, operator: str, bounds: Bag, word: str | None) -> Table:
    cells = [replace(row[place], proof=frozenset((n,))) for n, row in enumerate(table.rows)]
    if any(cell.missing for cell in cells):
        raise Unspecified("missing cells in a condition")
    kept = {n for cell in keep_members(tuple(cells), operator, bounds, word) for n in cell.proof}
    table = pick(table, [n for n in range(len(table.rows)) if n in kept])
    if operator == "!=":
        return table
    deciding = (
        tuple(b for b in bounds if operator != "=" or are_equal(row[place], b))
        for row in table.rows
    )
    proofs = zip(table.proofs, map(proof_of, deciding), strict=True)
    return replace(table, proofs=tuple(of_row | of_bounds for of_row, of_bounds in proofs))


def sort_rows(table: Table, place: int, is_descending: bool) -> Table:
    cells = [row[place] for row in table.rows]
    values = [cell.value for cell in cells if cell.value is not None]
    if any(cell.missing for cell in cells) or (values and len(values) < len(cells)):
        raise Unspecified("cells without a value in an order")
    if not values:
        order = sorted(
            range(len(cells)), key=lambda n: cells[n].text.casefold(), reverse=is_descending
        )
        return pick(table, order)
    by_number = are_numbers(values)
    units = {value.unit for value in values}
    if by_number and len(units) > 1:
        raise Unspecified("numbers of several units")
    keys = [rank(value, by_number, next(iter(units))) for value in values]
    if None in keys:
        raise Unspecified("numbers among dates")
    return pick(
        table, sorted(range(len(cells)), key=lambda n: keys[n] or (0, 0), reverse=is_descending)
    )


def distinct_rows(table: Table) -> Table:
    first: dict[object, int] = {}
    for number, row in enumerate(table.rows):
        first.setdefault(tuple((cell.identity, cell.missing) for cell in row), number)
    kept = pick(table, list(first.values()))
    proofs: dict[object, frozenset[object]] = {}
    for row, proof in zip(table.rows, table.proofs, strict=True):
        key = tuple((cell.identity, cell.missing) for cell in row)
        proofs[key] = proofs.get(key, frozenset()) | proof
    return replace(kept, proofs=tuple(proofs.values()))
