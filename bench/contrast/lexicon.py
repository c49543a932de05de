"""The word lists, reduced to one split."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).parent / "words"
Entry = dict[str, Any]


def load(name: str) -> Entry:
    with (FOLDER / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


class Lexicon:
    """Words of one split: names, relations, topics and templates."""

    def __init__(self, split: str) -> None:
        self.split = split
        self._names = load("names")
        self._relations = load("relations") | load("frames")
        self._tables = load("tables")
        self._templates = load("templates")
        self.kinds: dict[str, Entry] = self._relations["kinds"]

    def half(self, name: str) -> list[str]:
        return list(self._names[name][self.split])

    def names(self, name: str, rng: Random, number: int) -> list[str]:
        """Different names; `codes:P` makes codes, `full` people have surnames."""
        if name.startswith("codes:"):
            letter = name.split(":")[1]
            return [f"{letter}-{code}" for code in rng.sample(range(101, 999), number)]
        if name == "full":
            first, last = self.names("people", rng, number), self.half("surnames")
            return [f"{one} {rng.choice(last)}" for one in first]
        return rng.sample(self.half(name), number)

    def _mine(self, entries: list[Entry]) -> list[Entry]:
        return [entry for entry in entries if entry["split"] == self.split]

    @cached_property
    def topics(self) -> list[Entry]:
        return self._mine(self._tables["topic"])

    @cached_property
    def ledgers(self) -> list[Entry]:
        return self._mine(self._tables["ledger"])

    @property
    def unknown(self) -> list[str]:
        """Questions about acts that no ledger can answer."""
        return list(self._tables["unknown"][self.split])

    def relations(self, section: str = "relation") -> list[Entry]:
        return self._mine(self._relations[section])

    def templates(self, *path: str) -> list[str]:
        node: Any = self._templates
        for step in path:
            node = node[step]
        return list(node[self.split])

    def adjective(self, name: str) -> str:
        return self.templates("adjectives", name)[0]

    def choose(self, seen: str, unseen: str) -> str:
        """One of two wordings, by split."""
        return seen if self.split == "seen" else unseen
