"""Random queries over a world: all functions and parameters, nested and in steps, some of them ill-typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from .conditions import LOWER, UPPER
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
    walk,
)
from .worlds import BOUNDS, World

ORDERS = ("<", "<=", ">", ">=")
PARTS = ("contains", "starts with", "ends with")
SHAPES = (
    "h", "t", "r", "k", "hr", "hk", "rt", "kv", "rv", "kt", "ht", "hrt", "hkv", "rtk", "rkv", "rtkv", "hrk",
    "hrtk", "hrkv", "hrtkv",
)  # fmt: skip
DATE_PARTS = ("year", "month", "quarter", "decade", "month_name", "weekday")
VALUES = ("number", "year", "day", "length", "money", "share", "time")


def call(function: str, *operands: Query, **parameters: Query) -> Call:
    arguments = [Argument(operand, "set" if len(operands) == 1 else "") for operand in operands]
    arguments += [Argument(value, name) for name, value in parameters.items()]
    return Call(function, tuple(arguments))


class Writer:
    """Writes one query; ``shape`` names what it is, for the counts of a sweep."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world, self.rng = world, rng
        self.steps: list[Query] = []
        self.shapes: list[str] = []

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

    def place(self, query: Query) -> Query:
        """The query itself, or a step of its own that is referred to."""
        if self.rng.random() < 0.5 or isinstance(query, Name | Number | Several | Step):
            return query
        self.steps.append(query)
        return Step(len(self.steps))

    def call(self, function: str, *operands: Query, **parameters: Query) -> Call:
        self.shapes.append(function)
        return call(function, *operands, **parameters)

    # names

    def alter(self, text: str) -> str:
        """The name as it is, or one that is the same normalized."""
        text = self.world.data.name(text)
        part = self.rng.random()
        if part < 0.88 or not any(map(str.isalpha, text)) or text in self.world.data.values:
            return text
        return self.rng.choice(
            (text.upper(), text.lower(), text.replace(" ", "-"), text.replace("é", "e"))
        )

    def name(self, nodes: Sequence[str]) -> Name:
        if self.rng.random() < 0.01 or not nodes:
            return Name("Xqzzwj Kkvvb")
        node = self.rng.choice([n for n in nodes if n not in self.world.data.rows] or ["Varo"])
        aliases = self.world.data.aliases.get(node)
        if aliases and self.rng.random() < 0.3:
            return Name(aliases[0])
        return Name(self.alter(node))

    def head_names(self, relation: str) -> list[str]:
        """Names of heads of a relation; of tables, cells of its rows."""
        facts = self.world.data.facts
        heads = set(self.world.heads(relation))
        if not self.world.is_table:
            return sorted(heads)
        kinds = self.world.kinds
        return sorted(
            {
                f.tail
                for f in facts
                if f.head in heads and f.tail and kinds[f.relation] in ("name", "entity", "thing")
            }
        )

    def relation(self, *kinds: str) -> str:
        names = self.world.of_kind(*kinds) if kinds else list(self.world.kinds)
        return self.rng.choice(names or list(self.world.kinds))

    def relation_name(self, relation: str) -> Name:
        if self.rng.random() < 0.004:
            return Name("qqzzxw")
        if self.rng.random() < 0.08:
            return Name(
                self.rng.choice((relation.upper(), relation.replace(" ", "_"), relation.title()))
            )
        return Name(relation)

    def several(self, nodes: Sequence[str]) -> Query:
        names = [self.name(nodes) for _ in range(self.rng.randint(2, 3))]
        return Several(tuple(dict.fromkeys(names)))

    # get_information

    def heads(self, relation: str) -> Query:
        part = self.rng.random()
        nodes = self.head_names(relation)
        if part < 0.55:
            return self.name(nodes)
        if part < 0.7:
            return self.several(nodes)
        return self.place(self.entities())

    def bounds(self, kind: str, texts: Sequence[str], parameter: str) -> list[Argument]:
        """Conditions on values of a kind, usually one."""
        rng = self.rng
        if rng.random() < 0.06 and kind in VALUES:
            low, high = (self.bound(kind, texts) for _ in range(2))
            return [
                Argument(low, parameter, ">="),
                Argument(high, parameter, rng.choice(("<", "!="))),
            ]
        return [self.condition(kind, texts, parameter)]

    def condition(self, kind: str, texts: Sequence[str], parameter: str) -> Argument:
        part = self.rng.random()
        if part < 0.08:
            return Argument(Name(self.rng.choice(("most", "least"))), parameter)
        if kind in VALUES:
            return self.condition_on_value(kind, texts, parameter, part)
        return self.condition_on_name(texts, parameter, part)

    def condition_on_value(
        self, kind: str, texts: Sequence[str], parameter: str, part: float
    ) -> Argument:
        rng = self.rng
        if part < 0.22:
            return Argument(Name(rng.choice(sorted(UPPER | LOWER))), parameter)
        if part < 0.24:
            return Argument(Name(str(rng.choice(texts or ["1"]))[:1]), parameter, rng.choice(PARTS))
        if part < 0.32:
            return Argument(
                self.place(self.values_of(kind)), parameter, rng.choice(("=", "!=", *ORDERS))
            )
        if part < 0.6:
            return Argument(self.bound(kind, texts), parameter, rng.choice(("=", "=", "!=")))
        return Argument(self.bound(kind, texts), parameter, rng.choice(ORDERS))

    def condition_on_name(self, texts: Sequence[str], parameter: str, part: float) -> Argument:
        rng = self.rng
        if part < 0.1:
            return Argument(Name("highest"), parameter)
        if part < 0.12:
            return Argument(self.name(texts), parameter, rng.choice(ORDERS))
        if part < 0.28:
            word = self.world.data.name(rng.choice([t for t in texts if t] or ["Varo"]))
            start = rng.randrange(max(1, len(word) - 2))
            fragment = (
                rng.choice((word[start : start + 3], word[:2], word[-2:], word.split()[0])).strip()
                or "a"
            )
            return Argument(
                Name(rng.choice((fragment, fragment.upper()))), parameter, rng.choice(PARTS)
            )
        operator = rng.choice(("=", "=", "=", "!="))
        if part < 0.45:
            return Argument(self.several(texts), parameter, operator)
        if part < 0.6:
            return Argument(self.place(self.entities()), parameter, operator)
        return Argument(self.name(texts), parameter, operator)

    def bound(self, kind: str, texts: Sequence[str]) -> Query:
        own = [t for t in texts if t]
        if own and self.rng.random() < 0.6:
            text = self.rng.choice(own)
        else:
            text, value = self.rng.choice(BOUNDS[kind])(self.rng)
            self.world.data.values.setdefault(text, value)
        if text.isdigit() and self.rng.random() < 0.5:
            return Number(text)
        return Name(text)

    def information(self, shape: str = "", relation: str = "") -> Query:
        rng, world = self.rng, self.world
        relation = relation or self.relation()
        special = rng.random()
        if not shape and relation in world.timed and special < 0.5:
            return self.timed(relation)
        if not shape and relation in world.qualifiers and special < 0.5:
            return self.qualified(relation)
        if not shape and world.is_table and special < 0.12:
            return self.row_search(relation)
        shape = shape or rng.choice(SHAPES)
        key = self.joined_key(relation, shape)
        arguments = [a for letter in shape for a in self.arguments(letter, shape, relation, key)]
        if rng.random() < 0.3:
            rng.shuffle(arguments)
        columns = world.data.columns
        # The table of a search is that of the searches in it.
        nested = [q for a in arguments for q in walk(a.value) if isinstance(q, Call)]
        inner = {str(a.value).strip("'") for q in nested for a in q.get("relation", "key")}
        used = {name for name, letter in ((relation, "r"), (key, "k")) if letter in shape} | inner
        tables = [name for name, names in columns.items() if used <= {*names}]
        if len(columns) > 1 and tables and rng.random() < 0.4:
            arguments.append(Argument(Name(rng.choice(tables)), "table"))
        self.shapes.append(f"get_information {shape}")
        return Call("get_information", tuple(arguments))

    def arguments(self, letter: str, shape: str, relation: str, key: str) -> list[Argument]:
        """The arguments of one parameter of the shape."""
        world = self.world
        if letter == "h":
            heads = self.heads(relation if "r" in shape or "t" in shape else key)
            return [Argument(heads, "head_entity")]
        if letter == "r":
            return [Argument(self.relation_name(relation), "relation")]
        if letter == "k":
            return [Argument(self.relation_name(key), "key")]
        if shape in ("t", "ht"):
            return [Argument(self.name(world.tails(relation)), "tail_entity")]
        of = relation if shape == "rv" or (letter == "t" and "r" in shape) else key
        parameter = "tail_entity" if letter == "t" else "value"
        return self.bounds(world.kinds[of], world.tails(of), parameter)

    def joined_key(self, relation: str, shape: str) -> str:
        """A second relation that shares nodes with the first, mostly."""
        world = self.world
        if self.rng.random() < 0.05 or len(shape) < 3:
            return self.rng.choice(list(world.kinds))
        ends = set(
            world.tails(relation)
            if shape in ("hrk", "hrtk", "hrkv", "hrtkv")
            else world.heads(relation)
        )
        if world.is_table:
            ends = set(world.heads(relation))
        keys = [name for name in world.kinds if ends & set(world.heads(name))]
        return self.rng.choice(keys or list(world.kinds))

    def qualified(self, relation: str) -> Query:
        rng, world = self.rng, self.world
        key, kind = rng.choice(sorted(world.qualifiers[relation].items()))
        texts = sorted(
            {
                v
                for f in world.data.facts
                if f.relation == relation
                for k, v in f.qualifiers
                if k == key
            }
        )
        shape = rng.choice(("hrk", "hrtk", "hrkv", "rtkv", "rkv", "rk", "rtk", "hrtkv"))
        arguments = [Argument(self.relation_name(relation), "relation"), Argument(Name(key), "key")]
        if "h" in shape:
            arguments.append(Argument(self.heads(relation), "head_entity"))
        if "t" in shape:
            arguments += self.bounds(world.kinds[relation], world.tails(relation), "tail_entity")
        if "v" in shape:
            arguments += self.bounds(kind, texts, "value")
        self.shapes.append(f"qualifier {shape}")
        return Call("get_information", tuple(arguments))

    def timed(self, relation: str) -> Query:
        rng, world = self.rng, self.world
        key = rng.choice(("time", "start time", "end time", "duration", "year", "date"))
        shapes = ["hrk", "hrtk", "hrkv", "rtkv", "rkv", "rk", "rtk", "hrtkv"]
        if key in ("time", "start time", "end time"):
            shapes += ["hk", "tk", "htk", "hkv", "tkv"]
        shape = rng.choice(shapes)
        arguments = [Argument(Name(key), "key")]
        if "r" in shape:
            arguments.append(Argument(self.relation_name(relation), "relation"))
        if "h" in shape:
            arguments.append(Argument(self.heads(relation), "head_entity"))
        if "t" in shape:
            if "r" in shape:
                arguments += self.bounds(
                    world.kinds[relation], world.tails(relation), "tail_entity"
                )
            else:
                arguments.append(Argument(self.name(world.tails(relation)), "tail_entity"))
        if "v" in shape:
            arguments.append(self.time_condition(key))
        self.shapes.append(f"{key} {shape}")
        return Call("get_information", tuple(arguments))

    def time_condition(self, key: str) -> Argument:
        rng, world = self.rng, self.world
        if rng.random() < 0.15:
            word = rng.choice(
                ("latest", "earliest", "highest", "lowest")
                if key != "duration"
                else ("longest", "shortest")
            )
            return Argument(Name(word), "value")
        operator = rng.choice(("=", "=", *ORDERS, "!="))
        if key == "duration":
            text, value = rng.choice(
                [
                    (f"{n} {unit}{'' if n == 1 else 's'}", unit, n)
                    for n in (1, 2, 5, 20, 300)
                    for unit in ("year", "month", "day")
                ]
                + [(str(n), "", n) for n in (1, 2, 5)]
            )[::2]
            from .model import Value

            unit = text.split()[-1].rstrip("s") if " " in text else None
            world.data.values.setdefault(text, Value(float(value), unit))
            return Argument(Name(text), "value", operator)
        if rng.random() < 0.15:
            return Argument(self.place(self.times()), "value", operator)
        if rng.random() < 0.15:
            bounds = [self.bound(rng.choice(("year", "day")), []) for _ in range(2)]
            return Argument(Several(tuple(Name(b.text) for b in bounds)), "value", operator)  # type: ignore[union-attr]
        return Argument(self.bound(rng.choice(("year", "day")), []), "value", operator)

    def times(self) -> Query:
        relation = self.rng.choice(sorted(self.world.timed))
        arguments = (
            Argument(self.name(self.head_names(relation)), "head_entity"),
            Argument(Name(relation), "relation"),
            Argument(Name(self.rng.choice(("start time", "end time", "time"))), "key"),
        )
        return Call("get_information", arguments)

    def row_search(self, relation: str) -> Query:
        """Searches by the number of the row."""
        number = Number(str(self.rng.randint(1, 9)))
        operator = self.rng.choice(("=", *ORDERS))
        condition = Argument(number, "value", operator)
        self.shapes.append("get_information row_number")
        return Call(
            "get_information",
            (Argument(Name(relation), "relation"), Argument(Name("row_number"), "key"), condition),
        )

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
             "year", "arithmetic",
             "distance", "difference", "duration", "year_difference", "days_difference", "product", "ratio")
        )  # fmt: skip
        if function == "count":
            inner = self.place(self.any_set() if rng.random() < 0.4 else self.information())
            if rng.random() < 0.4:
                return self.call("count", inner, distinct=Name("false"))
            return self.call("count", inner)
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
            if dated and (not numeric or rng.random() < 0.4):
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
                    f"{rng.choice(('sum', 'median', 'min', 'max'))}({number}) as {name}",
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
