"""Other data of the same make, on which queries that are no different here may differ.

Things are doubled and lead to others of their kind; values are those that are there, and further ones.
What leads to one thing still does, relations that are each other's inverse stay so, and what all of a kind
have all of it have: no instance shows a difference which data of this make could never show.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random

from ...exporting.manifest import FACT, LINE, NAME, NAMES, ExportedSource, Manifest
from ...mapping import fold
from ...values import DEFAULT
from .outline import TYPE, Graph, Outline, Relation, Triple

COPIES = 2
"""Things that each thing becomes."""

_NEW = 0.5
"""The share of numbers and dates that are new."""


def instance(outline: Outline, seed: int) -> Graph:
    """The facts drawn anew."""
    return _Drawing(outline, Random(f"{seed}/instance")).whole()  # noqa: S311 # no secret


@dataclass
class _Drawing:
    outline: Outline
    chance: Random
    copies: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)

    def whole(self) -> Graph:
        graph = self.outline.graph
        self.names.update(graph.names)
        for key in dict.fromkeys(end for head, _, tail in graph.facts for end in (head, tail)):
            self.copies[key] = [key]
            if graph.name(key) is None:
                self.copies[key] += [f"{key}~{number}" for number in range(1, COPIES)]
                self.names.update(dict.fromkeys(self.copies[key]))
        drawn: dict[str, list[Triple]] = {}
        by_relation: dict[str, list[Triple]] = defaultdict(list)
        for fact in graph.facts:
            by_relation[fact[1]].append(fact)
        for name in sorted(by_relation, key=lambda each: self._branching(by_relation[each])):
            other = self.outline.inverses.get(name)
            if other in drawn and other != name:
                drawn[name] = [(tail, name, head) for head, _, tail in drawn[other]]
            else:
                drawn[name] = list(self._drawn(self.outline.relations[name], by_relation[name]))
        facts = dict.fromkeys(fact for name in by_relation for fact in drawn[name])
        return Graph(tuple(facts), self.names)

    def _branching(self, facts: list[Triple]) -> float:
        """How many tails a head has: what leads to one is drawn first, its inverse follows."""
        return len(facts) / len({head for head, _, _ in facts})

    def _drawn(self, relation: Relation, facts: list[Triple]) -> Iterator[Triple]:
        tails = [tail for _, _, tail in facts]
        for head, name, tail in facts:
            for copy in self.copies[head]:
                if fold(name) == TYPE:
                    yield (copy, name, tail)
                elif relation.nodes:
                    yield (copy, name, self.chance.choice(self.copies[self.chance.choice(tails)]))
                else:
                    yield (copy, name, self._value(relation, self.chance.choice(tails)))

    def _value(self, relation: Relation, key: str) -> str:
        text = self.outline.graph.name(key) or key
        if relation.text or self.chance.random() > _NEW:
            return key
        if relation.dates:
            try:
                day = date.fromisoformat(text)
            except ValueError:
                return key
            return (day + timedelta(days=self.chance.randint(1, 400))).isoformat()
        digits = text.replace(".", "", 1)
        if not digits.isdigit():
            return key
        more = self.chance.randint(1, 97)
        return str(int(text) + more) if digits == text else f"{float(text) + more:.2f}"


def write_graph(graph: Graph, folder: Path) -> None:
    """Facts as ``tuqa export`` writes them, for the format ``exported``."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "facts.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow((*FACT, LINE))
        rows.writerows((*fact, line) for line, fact in enumerate(graph.facts, 2))
    ends = dict.fromkeys(end for head, _, tail in graph.facts for end in (head, tail))
    with (folder / "names.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(NAMES)
        for key in ends:
            if key in graph.names:
                name = graph.names[key]
                rows.writerow((key, "unnamed" if name is None else "named", name or "", ""))
    source = ExportedSource(
        "facts", "kg", ("facts",), (), "facts", "facts.csv", rows=len(graph.facts)
    )
    manifest = Manifest("instance", DEFAULT, len(ends), len(graph.facts), "names.csv", (source,))
    (folder / NAME).write_text(manifest.to_json(), encoding="utf-8")
