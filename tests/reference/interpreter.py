"""The query language over a list of facts, as ``docs/language.md`` says it, to be read beside that page.

Nothing here is the engine's. Names are exact, normalized or aliases, and the values of texts are those that
the data brings: reading values and nearest names have tests of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .conditions import (
    SELECTING,
    are_equal,
    find_extremes,
    keep_members,
    spread_tolerances,
)
from .functions import (
    FUNCTIONS,
    NOTHING_OF_NOTHING,
    add,
    compare_sets,
    count,
    count_each,
    distinct,
    find_edge,
    holds,
    make_number,
    measure_distance,
    proof_of,
    sort,
    subtract,
)
from .model import (
    Argument,
    Bag,
    Call,
    Choice,
    Data,
    Infix,
    Member,
    Name,
    Number,
    Program,
    Query,
    Refusal,
    Result,
    Several,
    Step,
    Table,
    Unspecified,
    fold,
    walk,
)
from .searches import (
    ROW_NUMBER,
    TIMES,
    Condition,
    Parameters,
    Search,
    Term,
    intersect_searches,
)
from .tables import (
    calculate,
    column,
    distinct_rows,
    find_column,
    group_rows,
    keep_rows,
    make_table,
    pick,
    read_path,
    sort_rows,
)

_SEARCHES = ("get_information", "search_node", "search_condition", "get_table")


def rename_parameters(call: Call, heads: dict[str, str]) -> Call:
    """An operation of the paper as a search for information."""
    names = {
        "node1": "relation", "node2": "tail_entity", "qualifier": "key", "key_value": "value",
    } | heads  # fmt: skip
    arguments = (
        replace(a, parameter=names[a.parameter]) for a in call.arguments if a.parameter in names
    )
    return Call("get_information", tuple(arguments))


@dataclass(frozen=True)
class Outcome:
    """What an answer has to be: its outcome, values or table, and the facts that prove it.

    ``considered`` are further facts that a proof of a table may have: those of all
    its rows. ``is_ordered``: the page promises the order. ``found_nothing``: some result is empty.
    """

    outcome: str
    values: tuple[Member, ...] = ()
    table: Table | None = None
    proof: frozenset[object] = frozenset()
    considered: frozenset[object] = frozenset()
    is_of_table: bool = False
    is_ordered: bool = False
    found_nothing: bool = False
    reason: str = ""


SORTED = ("sort",)


@dataclass
class Interpreter:
    """Interprets queries over ``data``; ``source`` is the one table or graph that is queried, if one is."""

    data: Data
    source: str | None = None
    target: tuple[str, ...] = ()
    steps: list[Query] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    considered: set[object] = field(default_factory=set)
    is_any_empty: bool = False

    @property
    def found_nothing(self) -> bool:
        return self.is_any_empty or self.search.found_nothing

    def run(self, program: Program) -> Outcome:
        self.target, self.steps, self.results, self.considered = program.target, [], [], set()
        self.is_any_empty = False
        self.search = Search(self.data.within(self.source or _find_table(program)))
        try:
            used = self._find_used_steps(program)
            for number, step in enumerate(program.steps, 1):
                result = self._evaluate_step(step, number in used)
                self.steps.append(step)
                self.results.append(result)
            answer = self._answer(self.results[-1], program.steps[-1])
            is_of_table = any(
                isinstance(q, Call) and q.function == "get_table"
                for s in program.steps
                for q in walk(s)
            )
            considered = frozenset(self.considered | self.search.considered)
            return replace(answer, considered=considered, is_of_table=is_of_table)
        except Refusal as refusal:
            return Outcome(refusal.outcome, found_nothing=self.found_nothing, reason=str(refusal))

    def _evaluate_step(self, step: Query, is_used: bool) -> Result:
        """An unknown relation in a step on which the answer does not rest is only a warning."""
        try:
            return self.evaluate(step)
        except Refusal as refusal:
            if refusal.outcome == "not_askable" and not is_used:
                return ()
            raise

    def _find_used_steps(self, program: Program) -> set[int]:
        """The steps on which the answer rests; none runs if one of them names an unknown relation."""
        known = {fold(fact.relation) for fact in self.data.facts} | TIMES.keys() | {ROW_NUMBER}
        known |= {fold(key) for fact in self.data.facts for key, _ in fact.qualifiers}
        used, pending = {len(program.steps)}, [program.steps[-1]]
        while pending:
            for query in walk(pending.pop()):
                if isinstance(query, Step) and query.number not in used:
                    used.add(query.number)
                    pending.append(program.steps[query.number - 1])
                if isinstance(query, Call) and query.function == "get_information":
                    names = [a.value for a in query.get("relation", "key")]
                    if any(isinstance(n, Name) and fold(n.text) not in known for n in names):
                        raise Refusal("no such relation", "not_askable")
        return used

    # the answer

    def _answer(self, result: Result, query: Query) -> Outcome:
        nothing = self.found_nothing
        if isinstance(result, Table):
            return self._answer_table(result, query)
        is_absent = bool(self.search.missing) and self.search.found_nothing
        if is_absent and result and all(m.node is None and m.row is None for m in result):
            return Outcome(
                "empty", found_nothing=True, reason="computed from a name that is unknown"
            )
        if self.target and self._is_choice(query) and result and all(m.row for m in result):
            # Cells that a condition chose stand for their rows.
            result = tuple(self.search.member(m.row or "", proof=m.proof) for m in result)
        rows = tuple(m for m in result if m.node in self.data.rows)
        if rows:
            return self._answer_rows(rows, len(rows) < len(result))
        if result and not self._rests_on_data(query):
            raise Refusal("a literal is not an answer")
        outcome = "answered" if result else "empty"
        is_ordered = isinstance(self._origin(query), Call) and self._is_sorted(query)
        return Outcome(
            outcome, result, None, proof_of(result), is_ordered=is_ordered, found_nothing=nothing
        )

    def _answer_table(self, table: Table, query: Query) -> Outcome:
        places = [i for i, name in enumerate(table.columns)]
        if self.target and len(table.columns) > 1:
            folded = [fold(name) for name in table.columns]
            if all(fold(name) in folded for name in self.target):
                places = [find_column(table, name) for name in self.target]
        selected = Table(
            tuple(table.columns[p] for p in places),
            tuple(tuple(row[p] for p in places) for row in table.rows),
            table.proofs,
        )
        values = tuple(cell for row in selected.rows for cell in row if not cell.missing)
        proof = frozenset[object]().union(*table.proofs)
        outcome = "answered" if values else "empty"
        return Outcome(
            outcome, values, selected, proof if values else frozenset(),
            is_ordered=self._is_sorted(query), found_nothing=self.found_nothing,
        )  # fmt: skip

    def _answer_rows(self, rows: Bag, is_mixed: bool) -> Outcome:
        """Rows show the columns of the target type, in the order of the table."""
        if is_mixed or not self.target:
            raise Unspecified("rows without a target type")
        rows = tuple(sorted(distinct(rows), key=lambda m: self.data.rows[m.node or ""]))
        columns = [self.search.relations((name,)) for name in self.target]
        cells: list[list[Bag]] = []
        for row in rows:
            term = (Term(members=(row,)),)
            cells.append([self.search.tails(self.search.hits(c, term)) for c in columns])
        proof = proof_of(tuple(m for row in cells for bag in row for m in bag)) | proof_of(rows)
        if len(columns) == 1:
            values = tuple(m for row in cells for m in row[0])
            outcome = "answered" if values else "empty"
            return Outcome(outcome, values, None, proof, found_nothing=self.found_nothing)
        if any(len(bag) != 1 for row in cells for bag in row):
            raise Unspecified("several cells of a row in one column")
        table = Table(
            self.target,
            tuple(tuple(bag[0] for bag in row) for row in cells),
            tuple(proof_of(tuple(bag[0] for bag in row)) for row in cells),
        )
        values = tuple(bag[0] for row in cells for bag in row)
        return Outcome("answered", values, table, proof, found_nothing=self.found_nothing)

    def _origin(self, query: Query) -> Query:
        while isinstance(query, Step):
            query = self.steps[query.number - 1]
        return query

    def _is_sorted(self, query: Query) -> bool:
        query = self._origin(query)
        if not isinstance(query, Call):
            return False
        if query.function in SORTED:
            return True
        return query.function in ("first", "last", "calculate") and self._is_sorted(
            query.operands[0]
        )

    def _is_choice(self, query: Query) -> bool:
        query = self._origin(query)
        return isinstance(query, Choice) or (isinstance(query, Call) and query.function == "if")

    def _rests_on_data(self, query: Query) -> bool:
        """A literal is an answer only if it is in the data, or if a condition on facts chose it."""
        query = self._origin(query)
        if isinstance(query, Name | Number):
            return not self.search.is_unknown(query.text)
        if isinstance(query, Several):
            return all(not self.search.is_unknown(name.text) for name in query.members)
        return True

    # queries

    def evaluate(self, query: Query) -> Result:
        result = self._evaluate(query)
        self.is_any_empty |= not (result.rows if isinstance(result, Table) else result)
        return result

    def _evaluate(self, query: Query) -> Result:
        if isinstance(query, Step):
            return self.results[query.number - 1]
        if isinstance(query, Name):
            return (self.search.literal(query.text),)
        if isinstance(query, Number):
            return (replace(self.search.literal(query.text)),)
        if isinstance(query, Several):
            return tuple(self.search.literal(name.text) for name in query.members)
        if isinstance(query, Infix):
            return self._apply(query.operator, [query.left, query.right])
        if isinstance(query, Choice):
            return self._choose([query.condition, query.then, query.otherwise])
        return self._call(query)

    def bag(self, query: Query) -> Bag:
        result = self.evaluate(query)
        if not isinstance(result, Table):
            return result
        if len(result.columns) != 1:
            raise Unspecified("a table of several columns as a set")
        return column(result, 0)

    def _call(self, call: Call) -> Result:
        special = getattr(self, f"_{call.function}", None)
        if special is not None:
            result: Result = special(call)
            return result
        return self._apply(call.function, call.operands)

    def _apply(self, function: str, operands: Sequence[Query]) -> Result:
        sets = [self.bag(operand) for operand in operands]
        if function in NOTHING_OF_NOTHING and not all(sets):
            return ()
        if function in ("max", "min", "sum", "mean", "median", "mode"):
            self._refuse_rows(sets)
        if function in (
            "set_intersection",
            "set_union",
            "set_difference",
            "percentage",
            "contains",
            "equals",
            "=",
            "!=",
            "and",
            "or",
        ):
            sets = self._resolve(operands, sets)
        if function in ("max", "min", "sum", "mean", "median") and all(
            isinstance(o, Name | Number) for o in operands
        ):
            raise Unspecified("a figure of literals")
        return FUNCTIONS[function](sets)

    def _refuse_rows(self, sets: Sequence[Bag]) -> None:
        if any(m.node in self.data.rows for s in sets for m in s):
            raise Unspecified("a figure of rows")

    def _resolve(self, operands: Sequence[Query], sets: list[Bag]) -> list[Bag]:
        """Names in set functions mean members of the other sets first, then nodes of the data."""
        others = [
            m
            for o, s in zip(operands, sets, strict=True)
            if not isinstance(o, Name | Several | Number)
            for m in s
        ]
        resolved = []
        for operand, members in zip(operands, sets, strict=True):
            is_literal = isinstance(operand, Name | Several)
            resolved.append(
                tuple(r for m in members for r in self._nodes_of(m, others))
                if is_literal
                else members
            )
        return resolved

    def _nodes_of(self, member: Member, others: Sequence[Member]) -> Bag:
        tiers = self.search.tiers(member.text)
        for nodes in tiers:
            if same := [m for m in others if m.node in nodes]:
                return distinct(tuple(replace(m, proof=frozenset(), row=None) for m in same))
        if member.value is not None:
            return (member,)
        for nodes in tiers:
            if nodes:
                return tuple(self.search.member(node) for node in sorted(nodes))
        if any(fold(m.text) == fold(member.text) for m in others):
            return (member,)
        if not others:
            return (member,)
        raise Refusal(f"no member {member.text}")

    # searches

    def _terms(self, arguments: Sequence[Argument]) -> tuple[Term, ...]:
        terms: list[Term] = []
        for argument in arguments:
            value = argument.value
            names = value.members if isinstance(value, Several) else (value,)
            for name in names:
                if isinstance(name, Name | Number):
                    terms.append(Term(name.text))
                else:
                    terms.append(Term(members=self.bag(name)))
        return tuple(terms)

    def _conditions(self, arguments: Sequence[Argument]) -> tuple[Condition, ...]:
        return tuple(Condition(a.operator, self._terms((a,))) for a in spread_tolerances(arguments))

    def _search_node(self, call: Call) -> Bag:
        """What the relation ``node1`` leads to, out of the heads ``condition``; alone it may be a head."""
        (node,) = call.get("node1")
        heads = {"condition": "head_entity"}
        if not call.get("condition") and not self.search.find_relations(str(node.value).strip("'")):
            heads = {"node1": "head_entity"}
        return self._get_information(rename_parameters(call, heads))

    def _search_condition(self, call: Call) -> Bag:
        """The heads in ``scope`` that the relation ``node1`` leads from to ``node2``."""
        sign = call.text("op", "=")
        search = rename_parameters(call, {"scope": "head_entity"})
        arguments = tuple(
            replace(a, operator=sign) if a.parameter == "tail_entity" and sign != "=" else a
            for a in search.arguments
        )
        return self._get_information(Call(search.function, arguments))

    def _get_information(self, call: Call) -> Bag:
        """Only one of a pair: relation and key mean the same, and so do tail_entity and value."""
        table = call.text("table")
        if table:
            whole, self.search = (
                self.search,
                replace(self.search, data=self.data.within(table), whole=self.data),
            )
            try:
                rest = tuple(a for a in call.arguments if a.parameter != "table")
                return self._get_information(Call(call.function, rest))
            finally:
                whole.found_nothing |= self.search.found_nothing
                self.search = whole
        heads = [a for a in call.get("head_entity") if a.operator == "="]
        named = [a for a in call.get("head_entity") if a.operator != "="]
        h = self._terms(heads) if heads else None
        r = tuple(str(a.value).strip("'") for a in call.get("relation"))
        k = tuple(str(a.value).strip("'") for a in call.get("key"))
        t, v = self._conditions(call.get("tail_entity")), self._conditions(call.get("value"))
        search = self.search
        if len(r) == len(t) > 1 and not k and not v:
            pairs = [(search.relations((n,)), (c,)) for n, c in zip(r, t, strict=True)]
            return intersect_searches(search, pairs, h)
        if k and not r and not (t and v) and not search._role(Parameters(h, r, t, k, v)):
            r, k = k, ()
        if r and not k and search._role(Parameters(h, (), (), r, ())) == "time":
            r, k, t, v = (), r, (() if not v else t), (v or t)
        if v and not k and not t:
            t, v = v, ()
        if named:
            h = self._named_heads(r or k, h, named)
        p = Parameters(h, r, t, k, v)
        if r and fold(r[0]) == ROW_NUMBER and not k:
            return search.row_numbers(p)
        if k and fold(k[0]) == ROW_NUMBER:
            rows = search.row_numbers(Parameters(None, k, v))
            return search.get_information(Parameters((Term(members=rows),), r))
        return search.get_information(p)

    def _named_heads(
        self, relations: tuple[str, ...], heads: tuple[Term, ...] | None, named: Sequence[Argument]
    ) -> tuple[Term, ...]:
        """The heads of the relations whose names fulfil conditions on texts."""
        search = self.search
        candidates = distinct(search.heads(search.hits(search.relations(relations), heads)))
        for argument in named:
            if any(m.node in self.data.rows for m in candidates):
                raise Refusal("rows have no names")
            bounds = tuple(m for term in self._terms((argument,)) for m in search._bounds(term))
            candidates = keep_members(candidates, argument.operator, bounds)
        return (Term(members=candidates),)

    # functions of their own

    def _count(self, call: Call) -> Bag:
        result = self.evaluate(call.operands[0])
        is_distinct = call.text("distinct", "true") != "false"
        if isinstance(result, Table) and len(result.columns) > 1:
            return (make_number(float(len(result.rows)), frozenset().union(*result.proofs)),)
        members = column(result, 0) if isinstance(result, Table) else result
        return count(members, is_distinct)

    def _keep(self, call: Call) -> Result:
        result = self.evaluate(call.operands[0])
        name = call.text("column")
        for condition in spread_tolerances(call.get("value")):
            word = condition.value.text if isinstance(condition.value, Name) else None
            bounds = self.bag(condition.value)
            if any(m.node in self.data.rows for m in bounds):
                raise Unspecified("rows as a bound")
            if isinstance(result, Table):
                place = find_column(result, name) if name or len(result.columns) > 1 else 0
                if condition.operator in ("=", "!=") and (word or "").casefold() not in SELECTING:
                    cells = tuple(row[place] for row in result.rows)
                    operands = [call.operands[0], condition.value]
                    bounds = self._resolve(operands, [cells, bounds])[1] if cells else bounds
                result = keep_rows(result, place, condition.operator, bounds, word)
                continue
            if name or any(m.node in self.data.rows for m in result):
                raise Unspecified("a condition on rows")
            is_word = (
                word is not None
                and word.casefold() in _SELECTING
                and condition.operator not in _PARTS
            )
            if condition.operator in ("=", "!=") and not is_word:
                bounds = self._resolve([call.operands[0], condition.value], [result, bounds])[1]
            result = keep_members(result, condition.operator, bounds, word)
            if condition.operator == "=" and not is_word:
                result = tuple(
                    replace(
                        m, proof=m.proof | proof_of(tuple(b for b in bounds if are_equal(m, b)))
                    )
                    for m in result
                )
            elif condition.operator != "!=":
                result = tuple(replace(m, proof=m.proof | proof_of(bounds)) for m in result)
        return result

    def _set_negation(self, call: Call) -> Bag:
        """All other rows of the table, or named heads of the graph."""
        members = self.bag(call.operands[0])
        if call.get("universe"):
            return subtract([self.bag(call.get("universe")[0].value), members])
        if any(m.node is None for m in members) or not members:
            raise Unspecified("all others than nothing")
        data = self.search.data
        nodes = {m.node for m in members}
        if nodes <= data.rows.keys():
            sources = {data.rows[node][0] for node in nodes if node}
            if len(data.columns) > 1:
                raise Unspecified("all others of several tables")
            return tuple(
                search_member
                for row, (source, _) in data.rows.items()
                if source in sources and row not in nodes
                for search_member in (self.search.member(row),)
            )
        if nodes & data.rows.keys() or any(m.row for m in members) or data.rows:
            raise Unspecified("all others of rows and cells")
        heads = dict.fromkeys(fact.head for fact in data.facts)
        return tuple(self.search.member(head) for head in heads if head not in nodes)

    def _previous_row(self, call: Call) -> Bag:
        return self._neighbours(call, -1)

    def _next_row(self, call: Call) -> Bag:
        return self._neighbours(call, 1)

    def _neighbours(self, call: Call, by: int) -> Bag:
        rows = self._rows_of(self.bag(call.operands[0]))
        places = {place: row for row, place in self.data.rows.items()}
        neighbours: dict[str, frozenset[object]] = {}
        for row, proof in rows.items():
            source, position = self.data.rows[row]
            if (source, position + by) in places:
                neighbour = places[source, position + by]
                neighbours[neighbour] = neighbours.get(neighbour, frozenset()) | proof
        return tuple(self.search.member(row, proof=proof) for row, proof in neighbours.items())

    def _row_number(self, call: Call) -> Bag:
        rows = self._rows_of(self.bag(call.operands[0]))
        return tuple(
            replace(make_number(float(self.data.rows[row][1]), proof), row=row)
            for row, proof in rows.items()
        )

    def _rows_of(self, members: Bag) -> dict[str, frozenset[object]]:
        rows: dict[str, frozenset[object]] = {}
        for member in members:
            row = member.node if member.node in self.data.rows else member.row
            if row is None:
                raise Unspecified("the row of what has none")
            rows[row] = rows.get(row, frozenset()) | member.proof
        return rows

    def _get_table(self, call: Call) -> Table:
        heads = call.get("head_entity")
        columns = call.get("columns")[0].value
        texts = (
            [c.text for c in columns.members]
            if isinstance(columns, Several)
            else columns.text.split(",")
        )  # type: ignore[union-attr]
        table = make_table(
            self.search, self._terms(heads) if heads else None, [read_path(t) for t in texts]
        )
        self.considered |= table.considered
        return table

    def _table(self, query: Query) -> Table:
        result = self.evaluate(query)
        if not isinstance(result, Table):
            raise Unspecified("a table that is made of a set")
        return result

    def _calculate(self, call: Call) -> Table:
        table = self._table(call.operands[0])
        return calculate(
            table,
            call.text("expression"),
            call.text("name", call.text("expression")),
            self.data.values,
        )

    def _group_by(self, call: Call) -> Table:
        def texts(parameter: str) -> list[str]:
            values = [a.value for a in call.get(parameter)]
            return [n.text for v in values for n in (v.members if isinstance(v, Several) else (v,))]  # type: ignore[union-attr]

        return group_rows(
            self._table(call.operands[0]), texts("by"), texts("values"), self.data.values
        )

    def _count_by(self, call: Call) -> Table:
        name = call.text("column")
        result = self.evaluate(call.operands[0])
        if isinstance(result, Table):
            return count_each(
                column(result, find_column(result, name) if name else 0), name or "member"
            )
        if name or any(m.node in self.data.rows for m in result):
            raise Unspecified("counts of rows")
        return count_each(result, "member")

    def _argmax(self, call: Call) -> Bag:
        return self._beside(call, True)

    def _argmin(self, call: Call) -> Bag:
        return self._beside(call, False)

    def _beside(self, call: Call, upper: bool) -> Bag:
        table = self.evaluate(call.operands[0])
        if not isinstance(table, Table) or len(table.columns) != 2:
            raise Refusal("a table of two columns is needed")
        if any(row[1].computed is None for row in table.rows):
            raise Refusal("the second column has no computed numbers")
        numbers = tuple(replace(row[1], proof=frozenset((n,))) for n, row in enumerate(table.rows))
        places = [n for m in find_extremes(numbers, upper) for n in m.proof]
        return tuple(replace(table.rows[n][0], proof=table.proofs[n]) for n in places)  # type: ignore[call-overload]

    def _difference(self, call: Call) -> Bag:
        sets = [self.bag(operand) for operand in call.operands]
        if not all(sets):
            return ()
        if len(sets) == 2 and len(distinct(sets[0])) + len(distinct(sets[1])) > 2:
            if isinstance(call.operands[0], Number):
                raise Unspecified("a number of the query without a set")
            return subtract(self._resolve(call.operands, sets))
        return measure_distance(sets, call.text("unit"))

    def _sort(self, call: Call) -> Result:
        result = self.evaluate(call.operands[0])
        is_descending = call.text("order") == "descending"
        if isinstance(result, Table):
            by = call.text("by")
            return sort_rows(result, find_column(result, by) if by else 0, is_descending)
        self._refuse_rows((result,))
        return sort(result, is_descending)

    def _first(self, call: Call) -> Result:
        return self._take(call, False)

    def _last(self, call: Call) -> Result:
        return self._take(call, True)

    def _take(self, call: Call, last: bool) -> Result:
        result = self.evaluate(call.operands[0])
        number = int(call.text("number", "1"))
        if number < 1:
            raise Refusal("a whole number from 1")
        if isinstance(result, Table):
            size = len(result.rows)
            numbers = range(size)[-number:] if last else range(size)[:number]
            if number < size and not self._is_sorted(call.operands[0]):
                raise Unspecified("the first of what has no order")
            self._refuse_ties(result, numbers, last, call.operands[0])
            return pick(result, list(numbers))
        members = result
        places = {
            self.data.rows.get(m.node or "", self.data.rows.get(m.row or "", ("",)))[0]
            for m in members
        }
        if len(places) > 1 and number < len(members) and not self._is_sorted(call.operands[0]):
            raise Unspecified("rows of different tables have no common order")
        if members and all(m.node in self.data.rows for m in members):
            members = tuple(sorted(distinct(members), key=lambda m: self.data.rows[m.node or ""]))
        elif (
            members
            and all(m.row is not None for m in members)
            and not self._is_sorted(call.operands[0])
        ):
            members = tuple(sorted(members, key=lambda m: self.data.rows[m.row or ""]))
        elif number < len(members) and not self._is_sorted(call.operands[0]):
            raise Unspecified("the first of what has no order")
        taken, rest = (
            (members[-number:], members[:-number]) if last else (members[:number], members[number:])
        )
        edge = taken[:1] if last else taken[-1:]
        beyond = rest[-1:] if last else rest[:1]
        if edge and self._is_sorted(call.operands[0]) and _are_cut(edge[0], members, rest):
            raise Unspecified("equal members where the first ones end")
        if edge and beyond and edge[0].row and edge[0].identity == beyond[0].identity:
            raise Unspecified("equal cells of several rows where the first ones end")
        # All facts that lead to a member prove it, whichever of its entries is taken.
        same = {
            m.identity: proof_of(tuple(o for o in members if o.identity == m.identity))
            for m in taken
        }
        return tuple(m if m.row else replace(m, proof=same[m.identity]) for m in taken)

    def _refuse_ties(self, table: Table, numbers: range, last: bool, query: Query) -> None:
        origin = self._origin(query)
        if not numbers or len(numbers) == len(table.rows):
            return
        by = origin.text("by") if isinstance(origin, Call) else ""
        place = find_column(table, by) if by else 0
        edge = numbers[0] if last else numbers[-1]
        beyond = edge - 1 if last else edge + 1
        if not isinstance(origin, Call) or origin.function != "sort":
            raise Unspecified("an order that is not directly below")
        if _tie(table.rows[edge][place], table.rows[beyond][place], are_rows=True):
            raise Unspecified("equal members where the first ones end")

    def _distinct(self, call: Call) -> Result:
        result = self.evaluate(call.operands[0])
        return distinct_rows(result) if isinstance(result, Table) else distinct(result)

    def _if(self, call: Call) -> Result:
        return self._choose(call.operands)

    def _choose(self, operands: Sequence[Query]) -> Bag:
        condition, *cases = operands
        origin = self._origin(condition)
        members = self.bag(condition)
        if isinstance(origin, Call) and origin.function in ("compare", "smaller"):
            raise Unspecified("a comparison that names as a condition")
        is_order = isinstance(origin, Infix) and origin.operator in ("<", "<=", ">", ">=")
        is_order |= isinstance(origin, Call) and origin.function in _ORDERS
        if is_order and not members:
            raise Refusal("the condition compares nothing")
        results = [self.bag(case) for case in cases]
        chosen = results[0] if holds(members) else results[1] if len(results) > 1 else ()
        proof = proof_of(members)
        return tuple(replace(m, proof=m.proof | proof) for m in chosen)

    def _compare(self, call: Call) -> Bag:
        return self._name_larger(call, ">" if not call.get("operator") else call.text("operator"))

    def _smaller(self, call: Call) -> Bag:
        return self._name_larger(call, "<")

    def _name_larger(self, call: Call, operator: str) -> Bag:
        """The larger of two, with its name in the query."""
        sets = [self.bag(operand) for operand in call.operands]
        if not all(sets):
            raise Refusal("nothing to compare")
        proof = proof_of(sets[0]) | proof_of(sets[1])
        if any(len(distinct(s)) != 1 or s[0].value is None for s in sets):
            raise Unspecified("a comparison of sets or texts")
        pair = (sets[0][0], sets[1][0])
        for upper in (True, False):
            if len(find_extremes(pair, upper)) != 1:
                raise Refusal("the two are equal")
        best = find_extremes(pair, operator in (">", "larger"))[0]
        names = [self._names_in(operand) for operand in call.operands]
        place = pair.index(best)
        for own, other in zip(names[place], names[1 - place], strict=False):
            if own != other:
                return (Member(own, None, None, None, proof),)
        raise Unspecified("a comparison without names")

    def _names_in(self, query: Query) -> list[str]:
        query = self._origin(query)
        if isinstance(query, Call) and query.function == "get_information":
            arguments = [*query.get("tail_entity", "value"), *query.get("head_entity")]
            return [a.value.text for a in arguments if isinstance(a.value, Name)]
        raise Unspecified("a comparison without names")


def _find_table(program: Program) -> str | None:
    """The one table that all searches of a query name; it is then queried alone."""
    searches = [
        query
        for step in program.steps
        for query in walk(step)
        if isinstance(query, Call) and query.function in _SEARCHES
    ]
    tables = {search.text("table") for search in searches}
    return tables.pop() or None if len(tables) == 1 else None


def _are_cut(edge: Member, members: Bag, rest: Bag) -> bool:
    """Whether some of several members that are equal to the last one taken are left."""
    equal = [member for member in members if _tie(edge, member)]
    return bool(equal) and any(m in equal or m.identity == edge.identity for m in rest)


def _tie(first: Member, second: Member, are_rows: bool = False) -> bool:
    if first.identity == second.identity:
        return are_rows
    if first.value is None or second.value is None:
        return first.text.casefold() == second.text.casefold()
    return len(find_extremes((first, second), True)) == 2


_SELECTING = SELECTING
_PARTS = ("contains", "starts with", "ends with")
_ORDERS = ("greater_than", "less_than", "at_least", "at_most")

__all__ = ["Interpreter", "Outcome", "add", "compare_sets", "find_edge"]
