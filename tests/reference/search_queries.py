"""Random searches over a world: names, values, and conditions in all combinations of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from .conditions import LOWER, TOLERANCE, UPPER, spread_tolerance
from .model import (
    Argument,
    Call,
    Name,
    Number,
    Query,
    Several,
    Step,
    Value,
    walk,
)
from .worlds import BOUNDS, World

ORDERS = ("<", "<=", ">", ">=")
PARTS = ("contains", "starts with", "ends with")
SHAPES = (
    "h", "t", "r", "k", "hr", "hk", "rt", "kv", "rv", "kt", "ht", "hrt", "hkv", "rtk", "rkv", "rtkv", "hrk",
    "hrtk", "hrkv", "hrtkv",
)  # fmt: skip
VALUES = ("number", "year", "day", "length", "money", "share", "time")


def call(function: str, *operands: Query, **parameters: Query) -> Call:
    arguments = [Argument(operand, "set" if len(operands) == 1 else "") for operand in operands]
    arguments += [Argument(value, name) for name, value in parameters.items()]
    return Call(function, tuple(arguments))


class SearchWriter:
    """Writes searches; what becomes a step of its own is added to ``steps``, what it is to ``shapes``."""

    def __init__(self, world: World, rng: Random) -> None:
        self.world, self.rng = world, rng
        self.steps: list[Query] = []
        self.shapes: list[str] = []

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
        if part < 0.36 and kind == "number":
            return Argument(self.tolerance(texts), parameter, TOLERANCE)
        if part < 0.6:
            return Argument(self.bound(kind, texts), parameter, rng.choice(("=", "=", "!=")))
        return Argument(self.bound(kind, texts), parameter, rng.choice(ORDERS))

    def tolerance(self, texts: Sequence[str]) -> Name:
        """``12 ± 3`` or ``12 ± 25 %``, with values for both ends."""
        rng = self.rng
        number = rng.choice([text for text in texts if text.isdigit()] or ["12"])
        wide = rng.choice((str(rng.randint(0, 9)), f"{rng.choice((5, 25, 50))} %"))
        text = f"{number} ± {wide}"
        for end in spread_tolerance(text):
            self.world.data.values.setdefault(end, Value(float(end)))
        return Name(text)

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
            return self.qualified(relation) if special < 0.4 else self.of_any_relation()
        if not shape and world.is_table and special < 0.12:
            return self.row_search(relation)
        if not shape and special < 0.16:
            return self.pairs(relation)
        if not shape and special < 0.24:
            return self.paper_search(relation)
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
        texts = self.qualifier_texts(relation, key)
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

    def of_any_relation(self) -> Query:
        """A qualifier of the facts out of H, or into T, by whatever relation."""
        rng, world = self.rng, self.world
        relation = rng.choice(sorted(world.qualifiers))
        key, kind = rng.choice(sorted(world.qualifiers[relation].items()))
        shape = rng.choice(("hk", "tk", "hkv", "tkv"))
        arguments = [Argument(Name(key), "key")]
        if "h" in shape:
            arguments.append(Argument(self.name(self.head_names(relation)), "head_entity"))
        if "t" in shape:
            arguments.append(Argument(self.name(world.tails(relation)), "tail_entity"))
        if "v" in shape:
            arguments.append(self.condition(kind, self.qualifier_texts(relation, key), "value"))
        self.shapes.append(f"qualifier {shape}")
        return Call("get_information", tuple(arguments))

    def pairs(self, relation: str) -> Query:
        """Several relations, each with its value."""
        other = self.joined_key(relation, "rtkv")
        arguments = []
        for name in dict.fromkeys((relation, other)):
            arguments.append(Argument(self.relation_name(name), "relation"))
            kind, texts = self.world.kinds[name], self.world.tails(name)
            arguments.append(self.condition(kind, texts, "tail_entity"))
        self.shapes.append("get_information pairs")
        return Call("get_information", tuple(arguments))

    def paper_search(self, relation: str) -> Query:
        """The operations of the paper: what relations lead to, or the heads that fulfil a condition."""
        rng, world = self.rng, self.world
        function = rng.choice(("search_node", "search_condition"))
        arguments = [Argument(self.relation_name(relation), "node1")]
        if rng.random() < 0.7:
            heads = "condition" if function == "search_node" else "scope"
            arguments.append(Argument(self.heads(relation), heads))
        if function == "search_condition":
            condition = self.condition(world.kinds[relation], world.tails(relation), "node2")
            if condition.operator in ORDERS and rng.random() < 0.5:
                condition = replace(condition, operator="=")
                arguments.append(Argument(Name(rng.choice(ORDERS)), "op"))
            arguments.append(condition)
        keys = world.qualifiers.get(relation)
        if keys and rng.random() < 0.6:
            key, kind = rng.choice(sorted(keys.items()))
            arguments.append(Argument(Name(key), "qualifier"))
            if function == "search_condition" or rng.random() < 0.5:
                texts = self.qualifier_texts(relation, key)
                arguments.append(self.condition(kind, texts, "key_value"))
        self.shapes.append(function)
        return Call(function, tuple(arguments))

    def qualifier_texts(self, relation: str, key: str) -> list[str]:
        facts = (fact for fact in self.world.data.facts if fact.relation == relation)
        return sorted({text for fact in facts for name, text in fact.qualifiers if name == key})

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
