"""Tables in which each row is an act: who did it, to what, how many, and where."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from .lexicon import Entry, Lexicon
from .model import Table

Act = tuple[str, str, int, str]  # agent, thing, amount, place


@dataclass
class Ledger:
    words: Entry
    acts: list[Act]
    table: Table
    agents: list[str]
    things: list[str]
    places: list[str]

    def at(self, place: str) -> str:
        return str(self.words["at"]).format(v=place)

    def things_of(self, agent: str) -> set[str]:
        return {t for a, t, _, _ in self.acts if a == agent}

    def agents_of(self, *things: str) -> set[str]:
        return {a for a, t, _, _ in self.acts if t in things}

    def rows_by(self, field: int) -> Counter[str]:
        return Counter(str(act[field]) for act in self.acts)

    def sums_by(self, field: int) -> Counter[str]:
        total: Counter[str] = Counter()
        for act in self.acts:
            total[str(act[field])] += act[2]
        return total


def ledger_of(words: Lexicon, rng: Random, number: int = 20, total: int | None = None) -> Ledger:
    """Acts in which one agent took all things, and two took only one; amounts add up to the total."""
    entry = rng.choice(words.ledgers)
    agents = words.names("full" if rng.random() < 0.4 else "people", rng, 6)
    things = words.names(entry["names"], rng, rng.choice((4, 5)))
    places = words.names(entry["sites"], rng, 3)
    whole, single, other = agents[:3]
    pairs = [(whole, t) for t in things] + [(single, things[0])] * 2 + [(other, things[1])]
    while len(pairs) < number:
        pairs.append((rng.choice(agents[3:]), rng.choice(things)))
    amounts = [rng.choice((1, 1, 2, 2, 3, 4, 5, 6, 8, 12)) for _ in pairs]
    while total is not None and sum(amounts) != total:
        i = rng.randrange(len(amounts))
        step = 1 if sum(amounts) < total else -1
        amounts[i] = max(1, amounts[i] + step)
    acts = [(a, t, n, rng.choice(places)) for (a, t), n in zip(pairs, amounts, strict=False)]
    rng.shuffle(acts)
    letter, first = entry["row"][0].upper(), rng.randrange(100, 900)
    columns = [entry["row"], entry["agent"], entry["thing"], entry["amount"], entry["place"]]
    rows = [
        dict(zip(columns, (f"{letter}{first + i}", a, t, str(n), p), strict=False))
        for i, (a, t, n, p) in enumerate(acts)
    ]
    order = columns[:1] + rng.sample(columns[1:], 4)
    # Only what occurs in the data: a name that has no row is not part of the universe.
    present = [
        [name for name in names if any(act[i] == name for act in acts)]
        for i, names in ((0, agents), (1, things), (3, places))
    ]
    return Ledger(entry, acts, Table(order, rows, entry["rows"]), *present)
