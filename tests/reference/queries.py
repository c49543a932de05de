"""Random queries over a world: all functions and parameters, nested and in steps, some of them ill-typed."""

from __future__ import annotations

from collections.abc import Callable

from .model import (
    Argument,
    Call,
    Choice,
    Infix,
    Name,
    Number,
    Program,
    Query,
    Several,
    Step,
)
from .search_queries import ORDERS, VALUES, SearchWriter

DATE_PARTS = ("year", "month", "quarter", "decade", "month_name", "weekday")


class Writer(SearchWriter):
    """Writes one query; ``shapes`` name what it is, for the counts of a sweep."""

    def write(self) -> Program:
        self.steps, self.shapes = [], []
        makers: list[tuple[int, Callable[[], Query]]] = [
            (30, self.information), (20, self.any_set), (14, self.figure), (8, self.truth), (12, self.table),
            (4, self.choice), (4, self.comparison), (4, self.order), (4, self.counts),
        ]  # fmt: skip
        if self.world.is_table:
            makers.append((10, self.row_function))
        weights = [weight for weight, _ in makers]
        make = self.rng.choices([make for _, make in makers], weights)[0]
        last = make()
        # A target type that asks for a name changes what a truth or comparison says.
        is_named = make in (self.truth, self.comparison, self.figure)
        target = () if is_named else self._target()
        return Program((*self.steps, last), target)

    def _target(self) -> tuple[str, ...]:
        if not self.world.is_table:
            return ()
        columns = next(iter(self.world.data.columns.values()))
        shared = [
            c for c in columns if all(c in others for others in self.world.data.columns.values())
        ]
        number = 2 if len(shared) > 1 and self.rng.random() < 0.15 else 1
        return tuple(self.rng.sample(shared, number))

    # sets

    def entities(self) -> Query:
        """A search whose members are nodes: entities of a graph, rows or cells of a table."""
        if self.world.is_table:
            if self.rng.random() < 0.5:
                return self.information("rt")
            return self.information(
                self.rng.choice(("r", "hr")), self.relation("name", "entity", "thing")
            )
        shape = self.rng.choice(("rt", "hr", "r", "hrt", "rt"))
        kinds = ("entity",) if shape in ("hr", "r") else ()
        return self.information(shape, self.relation(*kinds))

    def values_of(self, kind: str) -> Query:
        relation = self.relation(kind)
        return self.information(self.rng.choice(("hr", "r", "hr")), relation)

    def same_kind(self) -> tuple[Query, Query]:
        """Two sets whose members are of one kind."""
        part = self.rng.random()
        if part < 0.4:
            return self.place(self.information("rt")), self.place(self.information("rt"))
        relation = self.relation(*(("entity", "name", "thing") if part < 0.8 else ()))
        pair = [self.information(self.rng.choice(("r", "hr")), relation) for _ in range(2)]
        return self.place(pair[0]), self.place(pair[1])

    def any_set(self) -> Query:
        rng = self.rng
        function = rng.choice(
            ("set_intersection", "set_union", "set_difference", "keep", "keep", "distinct", "mode",
             "set_negation",
             "difference")
        )  # fmt: skip
        if function == "set_negation":
            shape = "rt"
            query = self.call(function, self.place(self.information(shape)))
            if rng.random() < 0.3:
                first, second = self.same_kind()
                query = self.call(function, first, universe=second)
            return query
        if function in ("keep", "distinct", "mode"):
            relation = self.relation()
            inner = self.place(self.information(rng.choice(("r", "hr")), relation))
            if function == "keep":
                conditions = self.bounds(
                    self.world.kinds[relation], self.world.tails(relation), "value"
                )
                self.shapes.append("keep")
                return Call("keep", (Argument(inner, "set"), *conditions))
            return self.call(function, inner)
        first, second = self.same_kind()
        if rng.random() < 0.2:
            relation = self.relation("entity", "name", "thing")
            first = self.place(self.information("r", relation))
            second = (
                self.name(self.world.tails(relation))
                if rng.random() < 0.5
                else self.several(self.world.tails(relation))
            )
        if rng.random() < 0.12 and function != "difference":
            return self.call(function, first, second, self.place(self.information("rt")))
        return self.call(function, first, second)

    # figures

    def bag(self) -> Query:
        relation = self.relation(*VALUES) if self.rng.random() < 0.93 else self.relation()
        part = self.rng.random()
        if part < 0.2 and self.world.qualifiers:
            relation = self.rng.choice(sorted(self.world.qualifiers))
            key = "points" if "points" in self.world.qualifiers[relation] else "role"
            self.shapes.append("qualifier rk")
            return Call(
                "get_information",
                (Argument(Name(relation), "relation"), Argument(Name(key), "key")),
            )
        if part < 0.3:
            query = self.information(self.rng.choice(("r", "hr")), relation)
            conditions = self.bounds(
                self.world.kinds[relation], self.world.tails(relation), "value"
            )
            return Call("keep", (Argument(query, "set"), *conditions))
        return self.information(self.rng.choice(("r", "hr", "rkv", "r")), relation)

    def figure(self) -> Query:
        rng = self.rng
        function = rng.choice(
            ("count", "count", "count", "sum", "mean", "max", "min", "sum", "median", "number", "abs",
             "year", "arithmetic", "percentage",
             "distance", "difference", "duration", "year_difference", "days_difference", "product", "ratio")
        )  # fmt: skip
        if function == "count":
            inner = self.place(self.any_set() if rng.random() < 0.4 else self.information())
            if rng.random() < 0.4:
                return self.call("count", inner, distinct=Name("false"))
            return self.call("count", inner)
        if function == "percentage":
            return self.call(function, *self.same_kind())
        if function in ("number", "abs"):
            return self.call(function, self.place(self.bag()))
        if function == "year":
            return self.call(
                rng.choice(DATE_PARTS), self.place(self.values_of(rng.choice(("day", "year"))))
            )
        if function == "arithmetic":
            return self.arithmetic()
        if function in ("distance", "difference", "product", "ratio"):
            return self.call(function, self.place(self.number()), self.place(self.number()))
        if function in ("duration", "year_difference", "days_difference"):
            return self.call(function, self.place(self.day()), self.place(self.day()))
        return self.call(function, self.place(self.bag()))

    def number(self) -> Query:
        """One number, mostly."""
        rng = self.rng
        part = rng.random()
        if part < 0.3:
            return self.call("count", self.information(rng.choice(("rt", "r", "hr"))))
        if part < 0.7:
            return self.call(rng.choice(("sum", "max", "min", "mean")), self.place(self.bag()))
        if part < 0.85:
            number = rng.randint(0, 20)
            return Number(str(number))
        relation = self.relation(*VALUES)
        return self.information("hr", relation)

    def day(self) -> Query:
        if self.rng.random() < 0.5:
            return self.bound("day", [])
        return self.call(
            self.rng.choice(("max", "min")), self.information("r", self.relation("day", "year"))
        )

    def arithmetic(self) -> Query:
        operator = self.rng.choice("+-*/")
        self.shapes.append(operator)
        left = self.number()
        while isinstance(left, Number):
            left = self.number()
        return Infix(operator, left, self.number())

    # truths

    def truth(self) -> Query:
        rng = self.rng
        function = rng.choice(
            ("contains", "equals", "exists", "is_empty", "holds", "greater_than", "less_than", "at_least",
             "at_most",
             "infix", "infix", "and", "or")
        )  # fmt: skip
        if function == "contains":
            relation = self.relation("entity", "name", "thing", "number")
            inner = self.place(self.information(rng.choice(("r", "hr")), relation))
            member: Query = self.name(self.world.tails(relation))
            return self.call(
                function, inner, member if rng.random() < 0.7 else self.place(self.entities())
            )
        if function == "equals":
            return self.call(function, *self.same_kind())
        if function in ("exists", "is_empty"):
            return self.call(function, self.place(self.information()))
        if function == "holds":
            return self.call(function, self.place(self.simple_truth()))
        if function in ("and", "or"):
            first, second = self.place(self.simple_truth()), self.place(self.simple_truth())
            self.steps += [q for q in (first, second) if not isinstance(q, Step)]
            left = (
                first
                if isinstance(first, Step)
                else Step(len(self.steps) - (0 if isinstance(second, Step) else 1))
            )
            right = second if isinstance(second, Step) else Step(len(self.steps))
            self.shapes.append(function)
            return Infix(function, left, right)
        if function == "infix":
            return self.simple_truth()
        return self.call(function, self.place(self.number()), self.place(self.number()))

    def simple_truth(self) -> Query:
        operator = self.rng.choice(("=", "!=", *ORDERS))
        self.shapes.append(operator)
        left = self.number()
        while isinstance(left, Number):
            left = self.number()
        return Infix(operator, left, self.number())

    def choice(self) -> Query:
        condition = self.place(
            self.simple_truth()
            if self.rng.random() < 0.6
            else self.call("exists", self.information())
        )
        cases = [
            self.place(self.entities()) if self.rng.random() < 0.5 else Name(case)
            for case in ("alpha", "omega")
        ]
        if self.rng.random() < 0.5:
            return self.call("if", condition, *cases)
        self.shapes.append("if then else")
        return Choice(condition, cases[0], cases[1])

    def comparison(self) -> Query:
        """Which of two has more."""
        relation = self.relation(*VALUES)
        heads = self.head_names(relation)
        names = [self.name(heads) for _ in range(2)]
        function = self.rng.choice(("compare", "compare", "smaller"))
        operands = [
            self.place(
                Call(
                    "get_information",
                    (Argument(n, "head_entity"), Argument(Name(relation), "relation")),
                )
            )
            for n in names
        ]
        if function == "compare" and self.rng.random() < 0.3:
            return self.call(function, *operands, operator=Name(self.rng.choice(("<", ">"))))
        return self.call(function, *operands)

    def order(self) -> Query:
        relation = self.relation()
        order = self.rng.choice((None, "descending", "ascending"))
        parameters = {"order": Name(order)} if order else {}
        query: Query = self.call(
            "sort",
            self.place(self.information(self.rng.choice(("r", "hr")), relation)),
            **parameters,
        )
        if self.rng.random() < 0.5:
            function = self.rng.choice(("first", "last"))
            number = (
                {"number": Number(str(self.rng.randint(1, 4)))} if self.rng.random() < 0.7 else {}
            )
            return self.call(function, self.place(query), **number)
        return query

    def counts(self) -> Query:
        relation = self.relation()
        query: Query = self.call("count_by", self.place(self.information("r", relation)))
        part = self.rng.random()
        if part < 0.35:
            return self.call(self.rng.choice(("argmax", "argmin")), self.place(query))
        if part < 0.5:
            arguments = (
                Argument(query, "set"),
                Argument(Name("count"), "column"),
                Argument(Number("1"), "value", ">"),
            )
            return Call("keep", arguments)
        return query

    # rows and tables

    def row_function(self) -> Query:
        function = self.rng.choice(
            ("previous_row", "next_row", "row_number", "first", "last", "set_difference")
        )
        rows = self.place(self.information("rt"))
        if function == "set_difference":
            return self.call(function, rows, self.place(self.information("hr")))
        return self.call(function, rows)

    def path(self, relation: str, name: str) -> str:
        rng, world = self.rng, self.world
        text = relation
        if not world.is_table and world.kinds[relation] == "entity" and rng.random() < 0.5:
            keys = [k for k in world.kinds if set(world.tails(relation)) & set(world.heads(k))]
            if keys:
                mark = "#2" if rng.random() < 0.15 else ""
                text = f"{relation}{mark} > {rng.choice(keys)}"
        if rng.random() < 0.25:
            text += "?"
        return f"{text} as {name}"

    def table(self) -> Query:
        rng, world = self.rng, self.world
        columns: dict[str, str] = {}
        relation = self.relation()
        heads = set(world.heads(relation))
        shared = [r for r in world.kinds if heads & set(world.heads(r))]
        relations = [relation, *(rng.choice(shared) for _ in range(rng.randint(0, 2)))]
        for place, name in enumerate(dict.fromkeys(relations)):
            columns[f"c{place}"] = self.path(name, f"c{place}")
        if not world.is_table and rng.random() < 0.2:
            back = self.relation("entity")
            columns["b"] = f"^{back} as b" if rng.random() < 0.5 else f"^{back}? as b"
        arguments = []
        if rng.random() < 0.5:
            arguments.append(Argument(self.heads(relation), "head_entity"))
        arguments.append(Argument(Several(tuple(map(Name, columns.values()))), "columns"))
        self.shapes.append("get_table")
        table: Query = Call("get_table", tuple(arguments))
        kinds = {name: self.kind_of(path) for name, path in columns.items()}
        for _ in range(rng.randint(0, 3)):
            table = self.change(self.place(table), kinds)
            if "answer" in kinds:
                break
        return table

    def kind_of(self, path: str) -> str:
        last = path.partition(" as ")[0].split(">")[-1].strip().rstrip("?")
        if last.startswith("^"):
            return "entity"
        return self.world.kinds.get(last.partition("#")[0], "entity")

    def change(self, table: Query, kinds: dict[str, str]) -> Query:
        """A function over a table; ``kinds`` are those of its columns, and of the result afterwards."""
        rng = self.rng
        numeric = [name for name, kind in kinds.items() if kind in ("number", "computed", "year")]
        function = rng.choice(
            (
                "calculate",
                "group_by",
                "group_by",
                "keep",
                "sort",
                "first",
                "count",
                "distinct",
                "count_by",
            )
        )
        dated = [name for name, kind in kinds.items() if kind in ("day", "year")]
        if function == "calculate" and (numeric or dated):
            name = f"x{len(kinds)}"
            if len(dated) > 1 and rng.random() < 0.4:
                expression = f"days_between({', '.join(rng.sample(dated, 2))})"
                kinds[name] = "computed"
            elif dated and (not numeric or rng.random() < 0.4):
                expression = f"{rng.choice(DATE_PARTS)}({rng.choice(dated)})"
                kinds[name] = "name"
            else:
                expression, kinds[name] = self.expression(numeric), "computed"
            return self.call("calculate", table, expression=Name(expression), name=Name(name))
        if function == "group_by":
            return self.group(table, kinds, numeric)
        column = rng.choice(list(kinds))
        if function == "keep":
            kind = kinds[column] if kinds[column] != "computed" else "number"
            texts = [t for r in self.world.of_kind(kind) for t in self.world.tails(r)]
            self.shapes.append("keep table")
            condition = self.condition(kind, texts, "value")
            return Call(
                "keep", (Argument(table, "set"), Argument(Name(column), "column"), condition)
            )
        if function == "sort":
            order = Name(rng.choice(("ascending", "descending")))
            sorted_ = self.call("sort", table, by=Name(column), order=order)
            if rng.random() < 0.4:
                return self.call(
                    "first", self.place(sorted_), number=Number(str(rng.randint(1, 3)))
                )
            return sorted_
        if function == "count_by":
            kinds.clear()
            kinds.update({column: "entity", "count": "computed"})
            return self.call("count_by", table, column=Name(column))
        if function == "count":
            kinds.clear()
            kinds["answer"] = "computed"
            return self.call("count", table) if rng.random() < 0.9 else self.call("distinct", table)
        return self.call("distinct", table)

    def expression(self, numeric: list[str]) -> str:
        rng = self.rng
        a, b = rng.choice(numeric), rng.choice(numeric)
        return rng.choice(
            (
                f"{a} + {b}",
                f"{a} - {b} * 2",
                f"({a} + 1) / 4",
                f"round({a} / 3, 2)",
                f"abs({a} - 10)",
                f"{a} * {b}",
                f"{a} / {b}",
            )
        )

    def group(self, table: Query, kinds: dict[str, str], numeric: list[str]) -> Query:
        rng = self.rng
        by = rng.sample(list(kinds), rng.randint(0, min(2, len(kinds))))
        values = []
        after = {name: kinds[name] for name in by}
        for place in range(rng.randint(0 if by else 1, 2)):
            column = rng.choice(list(kinds))
            name = f"g{place}"
            options = [
                f"count() as {name}",
                f"count({column}) as {name}",
                f"count_distinct({column}) as {name}",
            ]
            if numeric:
                number = rng.choice(numeric)
                options += [
                    f"{rng.choice(('sum', 'mean', 'median', 'min', 'max'))}({number}) as {name}",
                    f"sum({self.expression(numeric)}) as {name}",
                    f"round(sum({number}) / count(), 2) as {name}",
                ]
            values.append(rng.choice(options))
            after[name] = "computed"
        kinds.clear()
        kinds.update(after)
        self.shapes.append("group_by")
        arguments = [Argument(table, "set")]
        if by:
            arguments.append(Argument(Several(tuple(map(Name, by))), "by"))
        if values:
            arguments.append(Argument(Several(tuple(map(Name, values))), "values"))
        return Call("group_by", tuple(arguments))
