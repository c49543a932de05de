"""``get_information``: facts by head, relation, tail, key and value, times and qualifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from .conditions import (
    LOWER,
    PARTS,
    SELECTING,
    UPPER,
    are_same,
    compare,
    find_decisive,
    keep_members,
)
from .durations import Length, compare_length, measure_length, read_length
from .model import (
    OPEN,
    Bag,
    Data,
    Fact,
    Member,
    Refusal,
    Unspecified,
    Value,
    fold,
)

TIMES = {
    "time": "time", "start time": "start time", "end time": "end time",
    "year": "time", "date": "date", "duration": "duration",
}  # fmt: skip
ROW_NUMBER = "row number"


@dataclass(frozen=True)
class Term:
    """A value of a search: a name as it is written, or the members of a result."""

    name: str | None = None
    members: Bag = ()


@dataclass(frozen=True)
class Condition:
    operator: str
    terms: tuple[Term, ...]

    @property
    def word(self) -> str | None:
        """The word by which it selects, if it is one."""
        word = self.terms[0].name if len(self.terms) == 1 else None
        if word is None or word.casefold() not in SELECTING or self.operator in PARTS:
            return None
        return word.casefold()


@dataclass(frozen=True)
class Hit:
    """A fact that a search finds, with what proves its head and its tail."""

    fact: Fact
    proof: frozenset[object]


@dataclass(frozen=True)
class Parameters:
    """H, R, T, K and V."""

    h: tuple[Term, ...] | None = None
    r: tuple[str, ...] = ()
    t: tuple[Condition, ...] = ()
    k: tuple[str, ...] = ()
    v: tuple[Condition, ...] = ()

    @property
    def letters(self) -> str:
        present = (
            ("h", self.h is not None),
            ("r", self.r),
            ("t", self.t),
            ("k", self.k),
            ("v", self.v),
        )
        return "".join(letter for letter, is_present in present if is_present)


@dataclass
class Search:
    """Searches over the facts of ``data``; ``missing`` are the names that led to nothing and are unknown.

    ``considered`` are facts that a proof may have, since the engine does not tell them apart. ``whole`` is
    the data of which a search of one table has a part.
    """

    data: Data
    found_nothing: bool = False
    missing: list[str] = field(default_factory=list)
    considered: set[object] = field(default_factory=set)
    whole: Data | None = None

    # names

    def find_relations(self, name: str) -> set[str]:
        known = {fact.relation for fact in self.data.facts}
        known |= {column for columns in self.data.columns.values() for column in columns}
        return {name} & known or {r for r in known if fold(r) == fold(name)}

    def relations(self, names: Iterable[str]) -> frozenset[str]:
        relations: set[str] = set()
        for name in names:
            matches = self.find_relations(name)
            if not matches:
                raise Refusal(f"no relation {name}", "not_askable")
            relations |= matches
        return frozenset(relations)

    def tiers(self, name: str) -> list[set[str]]:
        """The nodes that a name means: by the exact name, the normalized name, another name."""
        nodes = {end for fact in self.data.facts for end in (fact.head, fact.tail)}
        nodes |= {v for fact in self.data.facts for _, v in fact.qualifiers}
        folded = fold(name)
        return [
            {node for node in nodes if name in (node, self.data.name(node))},
            {node for node in nodes if folded and fold(self.data.name(node)) == folded},
            {
                node
                for node, aliases in self.data.aliases.items()
                if any(alias == name or fold(alias) == folded for alias in aliases)
            },
        ]

    def is_unknown(self, name: str) -> bool:
        return not any((replace(self, data=self.whole) if self.whole else self).tiers(name))

    def member(self, node: str, row: str | None = None, proof: Iterable[object] = ()) -> Member:
        text = self.data.name(node)
        if node in self.data.rows:
            text = f"row {self.data.rows[node][1]}"
        return Member(text, self.data.values.get(text), node, row, frozenset(proof))

    def literal(self, name: str) -> Member:
        return Member(name, self.data.values.get(name) or read_whole(name))

    # searches

    def hits(
        self,
        relations: frozenset[str] | None,
        heads: tuple[Term, ...] | None,
        conditions: Sequence[Condition] = (),
    ) -> list[Hit]:
        """The facts of relations (None: any) out of heads whose tails fulfil all conditions."""
        facts = [f for f in self.data.facts if relations is None or f.relation in relations]
        if any(condition.operator in PARTS for condition in conditions):
            self.refuse_parts(fact.tail for fact in facts)
        if heads is None:
            hits = self.filter([Hit(fact, fact.places) for fact in facts], conditions)
        else:
            hits = self._from_heads(facts, heads, conditions)
        self.found_nothing |= not hits
        return hits

    def _from_heads(
        self, facts: list[Fact], heads: tuple[Term, ...], conditions: Sequence[Condition]
    ) -> list[Hit]:
        hits = _merge(hit for term in heads for hit in self._from_head(facts, term, conditions))
        by_fact = {hit.fact: hit for hit in hits}
        return self.filter([by_fact[fact] for fact in facts if fact in by_fact], conditions)

    def _from_head(
        self, facts: list[Fact], term: Term, conditions: Sequence[Condition]
    ) -> list[Hit]:
        """The facts out of one head; of a name, by the first match with which the search finds any."""
        if term.name is None:
            return self._from_members(facts, term.members)
        starts: list[set[str]] = self.tiers(term.name)
        rows = self.data.rows.keys()
        starts += [
            {f.head for f in self.data.facts if f.head in rows and f.tail in tier}
            for tier in starts
        ]
        tiers = [
            [Hit(fact, fact.places) for fact in facts if fact.head in nodes] for nodes in starts
        ]
        tiers = [hits for hits in tiers if hits]
        if not tiers and self.is_unknown(term.name):
            self.missing.append(term.name)
        plain = [condition for condition in conditions if condition.word is None]
        return next(
            (hits for hits in tiers if self._leaves_any(hits, plain)), tiers[0] if tiers else []
        )

    def _leaves_any(self, hits: list[Hit], conditions: Sequence[Condition]) -> bool:
        try:
            return bool(self.filter(hits, conditions))
        except Refusal:
            return False

    def _from_members(self, facts: list[Fact], members: Bag) -> list[Hit]:
        """Facts out of the nodes of members; if none has any, out of their rows, else of rows with them."""
        if any(m.node is None and m.row is None for m in members):
            if any(f.head in self.data.rows for f in facts):
                raise Unspecified("a computed value as the head")
            members = tuple(
                replace(m, node=n) for m in members for tier in self.tiers(m.text)[:1] for n in tier
            )
        rows = self.data.rows.keys()
        ways: list[Callable[[Member], set[str | None]]] = [
            lambda m: {m.node},
            lambda m: {m.row},
            lambda m: {f.head for f in self.data.facts if f.head in rows and f.tail == m.node},
        ]
        for starts in ways:
            pairs = [(m, starts(m)) for m in members]
            if starts is ways[-1]:
                self.considered.update(fact for m in members for fact in m.proof)
            if hits := [
                Hit(f, f.places | m.proof) for m, nodes in pairs for f in facts if f.head in nodes
            ]:
                return _merge(hits)
        return []

    # conditions

    def filter(self, hits: list[Hit], conditions: Sequence[Condition]) -> list[Hit]:
        """The facts that fulfil all conditions; words such as ``highest`` look at what others leave."""
        for condition in sorted(conditions, key=lambda c: c.word is not None):
            hits = self._filter(hits, condition)
        return hits

    def _filter(self, hits: list[Hit], condition: Condition) -> list[Hit]:
        word = condition.word
        members = tuple(
            self.member(hit.fact.tail, proof=(place,)) for place, hit in enumerate(hits)
        )
        if word is not None and all(fold(member.text) != word for member in members):
            selected = keep_members(members, condition.operator, (), word)
            return [hits[place] for m in selected for place in m.proof]  # type: ignore[call-overload, misc]
        if condition.operator in ("=", "!="):
            equal: dict[int, frozenset[object]] = {}
            for term in condition.terms:
                for place, proof in self._equal(members, term):
                    equal[place] = equal.get(place, frozenset()) | proof
            if condition.operator == "!=":
                return [hit for place, hit in enumerate(hits) if place not in equal]
            return [Hit(hits[p].fact, hits[p].proof | equal[p]) for p in sorted(equal)]
        bounds = tuple(b for t in condition.terms for b in self._bounds(t))
        kept = keep_members(members, condition.operator, bounds)
        places = {place for member in kept for place in member.proof}
        proof = frozenset(fact for bound in bounds for fact in bound.proof)
        return [Hit(hit.fact, hit.proof | proof) for p, hit in enumerate(hits) if p in places]

    def refuse_parts(self, texts: Iterable[str]) -> None:
        """Numbers and dates have no parts."""
        values = [self.data.values.get(text) for text in texts]
        if values and all(values):
            raise Refusal("numbers and dates have no parts")

    def _bounds(self, term: Term) -> Bag:
        if term.name is not None:
            return (self.literal(term.name),)
        if any(member.node in self.data.rows for member in term.members):
            raise Unspecified("rows as a bound")
        return term.members

    def _equal(self, members: Bag, term: Term) -> list[tuple[int, frozenset[object]]]:
        """The places of the members that a term names: by node, else by an equal number or date."""
        if term.name is not None:
            for nodes in self.tiers(term.name):
                if places := [p for p, m in enumerate(members) if m.node in nodes]:
                    return [(place, frozenset()) for place in places]
            literal = self.literal(term.name)
            places = [p for p, m in enumerate(members) if _are_equal_values(m, literal)]
            if not places and literal.value is None and self.is_unknown(term.name):
                self.missing.append(term.name)
            return [(place, frozenset()) for place in places]
        if any(member.node in self.data.rows for member in term.members):
            raise Unspecified("rows as a value")
        equal = []
        for bound in term.members:
            places = [
                p for p, m in enumerate(members) if bound.node is not None and m.node == bound.node
            ]
            places = places or [p for p, m in enumerate(members) if _are_equal_values(m, bound)]
            if not places and bound.node is None:
                places = [p for p, m in enumerate(members) if fold(m.text) == fold(bound.text)]
            equal += [(place, bound.proof) for place in places]
        return equal

    # outputs

    def tails(self, hits: Iterable[Hit]) -> Bag:
        return tuple(
            self.member(
                h.fact.tail, h.fact.head if h.fact.head in self.data.rows else None, h.proof
            )
            for h in hits
        )

    def heads(self, hits: Iterable[Hit]) -> Bag:
        return tuple(self.member(hit.fact.head, proof=hit.proof) for hit in hits)

    # get_information

    def get_information(self, p: Parameters) -> Bag:
        role = self._role(p)
        if role == "qualifier" and p.t and p.v and not p.r:
            raise Refusal("T and V with only one relation")
        if role is not None and p.letters in _OUTPUTS_OF_KEYS:
            if role == "qualifier" and p.letters == "tk":
                self._refuse_values(fold(p.k[0]), p.t)
            return self._by_key(p, role)
        if p.r and p.k and p.letters in ("rk",):
            raise Refusal("no combination of the table")
        if p.letters not in _SHAPES:
            raise Refusal("no combination of the table")
        return _SHAPES[p.letters](self, p)

    def _role(self, p: Parameters) -> str | None:
        """Whether K is a qualifier or the time of the facts of R."""
        if len(p.k) != 1:
            return None
        (key,) = p.k
        word = fold(key)
        relations = self.relations(p.r) if p.r else None
        facts = [f for f in self.data.facts if relations is None or f.relation in relations]
        is_relation = any(fold(fact.relation) == word for fact in self.data.facts)
        if not p.r and is_relation:
            return None
        if any(fold(name) == word for fact in facts for name, _ in fact.qualifiers):
            return "qualifier"
        if not p.r:
            return (
                "time" if word in ("time", "start time", "end time") and not is_relation else None
            )
        if word not in TIMES or not any(fact.held for fact in facts):
            return None
        return None if word == "duration" and is_relation else "time"

    def _refuse_values(self, key: str, conditions: Sequence[Condition]) -> None:
        """T may be a value of K itself: then the facts that have it are meant."""
        values = [
            Hit(replace(fact, tail=value), frozenset())
            for fact in self.data.facts
            for name, value in fact.qualifiers
            if fold(name) == key
        ]
        if all(self._filter(values, condition) for condition in conditions):
            raise Unspecified("facts of a qualifier")

    def _by_key(self, p: Parameters, role: str) -> Bag:
        output = _OUTPUTS_OF_KEYS[p.letters]
        hits = self.hits(self.relations(p.r) if p.r else None, p.h, p.t)
        key = fold(p.k[0])
        if output == "key":
            terms = [*(p.h or ()), *(term for condition in p.t for term in condition.terms)]
            self.considered |= {fact for term in terms for m in term.members for fact in m.proof}
        if role == "qualifier":
            return self._by_qualifier(hits, key, p.v, output)
        hits = [hit for hit in hits if hit.fact.held is not None]
        word = TIMES[key]
        if word == "duration":
            return self._by_duration(hits, p.v, output)
        for condition in p.v:
            hits = self._filter_times(hits, word, condition)
        if not hits:
            self.found_nothing = True
        if output == "key":
            return tuple(member for hit in hits for member in self._times(hit, word))
        return self.heads(hits) if output == "heads" else self.tails(hits)

    def _by_qualifier(
        self, hits: list[Hit], key: str, conditions: Sequence[Condition], output: str
    ) -> Bag:
        pairs = [(h, v) for h in hits for name, v in sorted(h.fact.qualifiers) if fold(name) == key]
        # Conditions look at the qualifiers as they do at tails.
        values = [Hit(replace(hit.fact, tail=value), hit.proof) for hit, value in pairs]
        for condition in sorted(conditions, key=lambda c: c.word is not None):
            kept = self._filter(values, condition)
            pairs = [
                (Hit(hit.fact, value.proof), v)
                for value in kept
                for hit, v in pairs
                if replace(hit.fact, tail=v) == value.fact
            ]
            values = kept
        if not pairs:
            self.found_nothing = True
        if output == "key":
            return tuple(self.member(value, proof=hit.proof) for hit, value in pairs)
        return (
            self.heads(h for h, _ in pairs)
            if output == "heads"
            else self.tails(h for h, _ in pairs)
        )

    # times

    def _times(self, hit: Hit, word: str) -> list[Member]:
        held = hit.fact.held
        assert held is not None
        if word == "time":
            last = self.data.latest if held.last >= OPEN else held.last
            return [
                Member(str(year), _year(year), proof=hit.proof)
                for year in range(held.first // 10000, last // 10000 + 1)
                if year
            ]
        ends = {"start time": (held.start_text, held.start), "end time": (held.end_text, held.end)}
        words = [*ends] if word == "date" else [word]
        texts = {ends[w][0]: ends[w][1] for w in words if ends[w][0]}
        return [Member(text, value, proof=hit.proof) for text, value in texts.items()]

    def _filter_times(self, hits: list[Hit], word: str, condition: Condition) -> list[Hit]:
        if condition.word in UPPER | LOWER:
            return _extreme_times(hits, word, condition.word in UPPER)
        if condition.operator in PARTS or condition.word:
            raise Refusal("no condition on a time")
        bounds = tuple(b for t in condition.terms for b in self._bounds(t))
        proof = proof_of_bounds(condition.operator, bounds)
        dated = [b.value for b in bounds if b.value is not None and b.value.first is not None]
        if bounds and not dated:
            raise Refusal("the bound is not a date")
        if not dated:
            return []
        if condition.operator in ("=", "!="):
            periods = any if condition.operator == "=" else all
            return [
                Hit(hit.fact, hit.proof | proof)
                for hit in hits
                if periods(_holds(hit.fact, word, condition.operator, bound) for bound in dated)
            ]
        upper = condition.operator in (">", ">=")
        edge = (max if upper else min)(dated, key=lambda d: (d.first or 0, d.last or 0))
        return [
            Hit(hit.fact, hit.proof | proof)
            for hit in hits
            if _holds(hit.fact, word, condition.operator, edge)
        ]

    def _by_duration(self, hits: list[Hit], conditions: Sequence[Condition], output: str) -> Bag:
        latest = self.data.latest
        lengths = [
            (hit, measure_length(hit.fact.held, latest))
            for hit in hits
            if hit.fact.held is not None and hit.fact.held.start_text
        ]
        for condition in conditions:
            lengths = self._filter_lengths(lengths, condition)
        if not lengths:
            self.found_nothing = True
        if output == "key":
            return tuple(Member(n.text, n.value, proof=hit.proof) for hit, n in lengths)
        hits = [hit for hit, _ in lengths]
        return self.heads(hits) if output == "heads" else self.tails(hits)

    def _filter_lengths(
        self, lengths: list[tuple[Hit, Length]], condition: Condition
    ) -> list[tuple[Hit, Length]]:
        if condition.word in UPPER | LOWER:
            edge = (max if condition.word in UPPER else min)(
                (n.days for _, n in lengths), default=0
            )
            return [(hit, n) for hit, n in lengths if n.days == edge]
        if condition.operator in PARTS:
            raise Refusal("a duration has no parts")
        bounds = tuple(b for t in condition.terms for b in self._bounds(t))
        proof = proof_of_bounds(condition.operator, bounds)
        values = [read_length(bound) for bound in bounds]
        if not values:
            return []
        if condition.operator in ("=", "!="):

            def keep(length: Length) -> bool:
                is_equal = any(compare_length(length, "=", value) for value in values)
                return is_equal == (condition.operator == "=")

        else:
            edge_value = find_decisive(
                condition.operator,
                tuple(replace(b, value=v) for b, v in zip(bounds, values, strict=True)),
            )

            def keep(length: Length) -> bool:
                return compare_length(length, condition.operator, edge_value)

        return [(Hit(hit.fact, hit.proof | proof), n) for hit, n in lengths if keep(n)]

    # rows of tables

    def row_numbers(self, p: Parameters) -> Bag:
        """Searches with ``row_number`` as the relation: the place of each row, from 1."""
        if len(self.data.columns) != 1:
            raise Refusal("rows of different tables have no common order")
        numbers = [
            Fact(row, ROW_NUMBER, str(position), source=source)
            for row, (source, position) in self.data.rows.items()
        ]
        values = {str(n): Value(float(n)) for n in range(len(numbers) + 1)}
        inner = Search(replace(self.data, facts=numbers, values=self.data.values | values))
        hits = inner.hits(None, p.h, p.t)
        return self.heads(hits)


def proof_of_bounds(operator: str, bounds: Bag) -> frozenset[object]:
    """What proves the bounds of a condition; no fact says what a member is not."""
    return frozenset(fact for bound in bounds for fact in bound.proof if operator != "!=")


def read_whole(text: str) -> Value | None:
    """A whole number as a value; one of four digits from 1000 to 2199 is a year too."""
    if not text.isdecimal():
        return None
    return _year(int(text)) if 1000 <= int(text) < 2200 else Value(float(text))


def _merge(hits: Iterable[Hit]) -> list[Hit]:
    by_fact: dict[Fact, frozenset[object]] = {}
    for hit in hits:
        by_fact[hit.fact] = by_fact.get(hit.fact, frozenset()) | hit.proof
    return [Hit(fact, proof) for fact, proof in by_fact.items()]


def _are_equal_values(member: Member, bound: Member) -> bool:
    if member.value is None or bound.value is None:
        return False
    return compare(member.value, "=", bound.value) is True


def _year(year: int) -> Value:
    return Value(float(year), None, year * 10000 + 101, year * 10000 + 1231)


def _holds(fact: Fact, word: str, operator: str, bound: Value) -> bool:
    """Whether the fact is valid at some moment in ``operator`` to the bound, or its end stands so to it."""
    held = fact.held
    assert held is not None
    assert bound.first is not None
    assert bound.last is not None
    if word in ("time", "date"):
        return {
            "=": held.first <= bound.last and held.last >= bound.first,
            "!=": held.first < bound.first or held.last > bound.last,
            "<": held.first < bound.first, "<=": held.first <= bound.last,
            ">": held.last > bound.last, ">=": held.last >= bound.first,
        }[operator]  # fmt: skip
    if word == "end time" and held.last >= OPEN:
        return operator in (">", ">=", "!=")
    return compare(_end(fact, word), operator, replace(bound, number=None, unit=None)) is True


def _end(fact: Fact, word: str) -> Value:
    """The days of one end; an unknown start is the end."""
    held = fact.held
    assert held is not None
    end = held.start if word == "start time" else held.end
    if end.first is None:
        return held.end if word == "start time" else Value(None, None, held.last, held.last)
    return replace(end, number=None)


def _extreme_times(hits: list[Hit], word: str, upper: bool) -> list[Hit]:
    moments: list[int] = []
    for hit in hits:
        held = hit.fact.held
        assert held is not None
        if word in ("time", "date"):
            moments.append(held.last if upper else held.first)
        elif word == "end time" and held.last >= OPEN:
            moments.append(OPEN)
        else:
            end = _end(hit.fact, word)
            moments.append((end.last if upper else end.first) or 0)
    edge = (max if upper else min)(moments, default=0)
    return [hit for hit, moment in zip(hits, moments, strict=True) if moment == edge]


_OUTPUTS_OF_KEYS = {
    "hrk": "key", "hrtk": "key", "hrkv": "tails", "hrtkv": "tails", "rtk": "key", "rtkv": "heads",
    "rkv": "tails", "rk": "key", "hk": "key", "tk": "key", "htk": "key", "hkv": "tails", "tkv": "heads",
    "htkv": "tails",
}  # fmt: skip
"""What is returned where K is a qualifier or a time."""


def _relations(search: Search, p: Parameters) -> Bag:
    """The relations of the facts between H and T, of those out of H, or into T, each once."""
    hits = search.hits(None, p.h, p.t)
    search.considered |= {fact for term in p.h or () for m in term.members for fact in m.proof}
    if any(m.row and m.row not in search.data.rows for t in p.h or () for m in t.members):
        raise Unspecified("the relations of rows of another table")
    names = [term.name for c in p.t for term in c.terms if term.name is not None]
    if any(search.literal(name).value is not None for name in names):
        raise Unspecified("a value without a relation")
    if any(m.row for term in p.h or () for m in term.members):
        search.considered |= {place for fact in search.data.facts for place in fact.places}
    relations = tuple(Member(hit.fact.relation, proof=hit.proof) for hit in hits)
    return distinct(relations if p.h is not None else (*relations, *_qualifiers_with(search, p)))


def _qualifiers_with(search: Search, p: Parameters) -> Bag:
    """The keys of qualifiers that are T."""
    qualified = [
        Hit(replace(fact, relation=key, tail=value), fact.places)
        for fact in search.data.facts
        for key, value in sorted(fact.qualifiers)
    ]
    return tuple(Member(h.fact.relation, proof=h.proof) for h in search.filter(qualified, p.t))


def _as_term(members: Bag) -> tuple[Term, ...]:
    return (Term(members=members),)


def _tails(search: Search, p: Parameters) -> Bag:
    return search.tails(search.hits(search.relations(p.r or p.k), p.h))


def _heads(search: Search, p: Parameters) -> Bag:
    return search.heads(search.hits(search.relations(p.r or p.k), p.h, p.t or p.v))


def _key_of_heads(search: Search, p: Parameters) -> Bag:
    heads = search.heads(search.hits(search.relations(p.r), None, p.t))
    return search.tails(search.hits(search.relations(p.k), _as_term(heads)))


def _relation_of_heads(search: Search, p: Parameters) -> Bag:
    heads = search.heads(search.hits(search.relations(p.k), None, p.v))
    return search.tails(search.hits(search.relations(p.r), _as_term(heads)))


def _both(search: Search, p: Parameters) -> Bag:
    pairs = [(search.relations(p.r), p.t), (search.relations(p.k), p.v)]
    return intersect_searches(search, pairs, None)


def _key_of_tails(search: Search, p: Parameters) -> Bag:
    tails = search.tails(search.hits(search.relations(p.r), p.h, p.t))
    return search.tails(search.hits(search.relations(p.k), _as_term(tails)))


def _tails_with_key(search: Search, p: Parameters) -> Bag:
    tails = search.tails(search.hits(search.relations(p.r), p.h, p.t))
    return search.heads(search.hits(search.relations(p.k), _as_term(tails), p.v))


def intersect_searches(
    search: Search,
    pairs: Sequence[tuple[frozenset[str], tuple[Condition, ...]]],
    heads: tuple[Term, ...] | None,
) -> Bag:
    """The heads that all pairs of relation and value have; ``highest`` looks among those of the others."""
    plain = [pair for pair in pairs if not any(c.word for c in pair[1])]
    selecting = [pair for pair in pairs if pair not in plain]
    if not plain:
        plain, selecting = selecting, []
    common = intersect(tuple(search.heads(search.hits(r, heads, c)) for r, c in plain))
    for relations, conditions in selecting:
        selected = search.heads(search.hits(relations, _as_term(common), conditions))
        common = intersect((common, selected))
    return common


def distinct(members: Bag) -> Bag:
    """Each member once, with all that proves it; a name and the node of that name are one member."""
    by_identity: dict[object, Member] = {}
    for m in members:
        first = by_identity.get(m.identity)
        if first is not None:
            m = replace(
                first, proof=first.proof | m.proof, row=first.row if first.row == m.row else None
            )
        by_identity[m.identity] = m
    nodes = [m for m in by_identity.values() if m.node is not None]
    return tuple(
        m
        for m in by_identity.values()
        if m.node is not None or not any(are_same(m, node) for node in nodes)
    )


def intersect(sets: Sequence[Bag]) -> Bag:
    common = []
    for member in distinct(sets[0]):
        same = [[m for m in rest if are_same(member, m)] for rest in sets[1:]]
        if all(same):
            proof = member.proof.union(*(m.proof for members in same for m in members))
            common.append(replace(member, proof=proof))
    return tuple(common)


_SHAPES: dict[str, Callable[[Search, Parameters], Bag]] = {
    "h": _relations, "t": _relations, "ht": _relations,
    "r": _tails, "k": _tails, "hr": _tails, "hk": _tails,
    "rt": _heads, "kv": _heads, "rv": _heads, "kt": _heads, "tk": _heads, "hrt": _heads, "hkv": _heads,
    "rtk": _key_of_heads, "rkv": _relation_of_heads, "rtkv": _both,
    "hrk": _key_of_tails, "hrtk": _key_of_tails, "hrkv": _tails_with_key, "hrtkv": _tails_with_key,
}  # fmt: skip
"""The table of ``get_information``: the parameters that are given, and what they search."""
