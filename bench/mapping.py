"""Nearness of names measured: aliases and slips, scored against all names and through the indexes.

Aliases of WebQSP are to find the name of their node, the list of aliases withheld; names of MetaQA with one
letter put in, left out, changed or swapped are to find themselves, or what differs from them in case,
accents and punctuation only. Each beside what the nearest vector alone finds. Needs TUQA_PACKS, the folder
of the data packs. Embedding takes about a minute, scoring all names for each of so many some ten.

    TUQA_PACKS=folder .venv/bin/python bench/mapping.py
"""

from __future__ import annotations

import gzip
import os
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from measuring import percentile

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.embedding import open_embedder
from trustuqa_neo4j.looking import Pool, near_nodes
from trustuqa_neo4j.mapping import Near, fold, score_near

ALIASES, SLIPS = 1_000, 300
THROUGH = 300
"""Of each, looked for through the indexes too."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DATASET = "bench names"
LARGE = 10**9  # more than is looked through first, so that the indexes are asked


@dataclass(frozen=True)
class Task:
    """Names to look for, the folded names that are right for each, and all names there are."""

    name: str
    given: list[str]
    right: list[set[str]]
    names: list[str]


Look = Callable[[str], list[Near]]


def main() -> None:
    packs = os.environ.get("TUQA_PACKS")
    if not packs:
        sys.exit("usage: TUQA_PACKS names no folder, set it to the folder of the data packs")
    settings = Settings.read()
    print(f"{'':<34} {'top 1':>6} {'top 20':>7}   p50 ms   p95 ms")
    with open_embedder(cache_folder=settings.home) as encoder:
        for task in (aliases(Path(packs)), slips(Path(packs))):
            print(f"{task.name}: {len(task.given):,} among {len(task.names):,}")
            vectors, wanted = encoder.encode_all(task.names), encoder.encode_all(task.given)
            near = dict(zip(task.given, wanted @ vectors.T, strict=True))
            pool: list[tuple[int | None, str]] = list(enumerate(task.names))
            report(task, "the nearest vector", partial(by_vector, pool, near))
            report(task, "all scored", lambda given, p=pool, n=near: scored(given, p, n[given]))
            report(task, "all scored, without vectors", lambda given, p=pool: scored(given, p))
            with TrustUQA.connect(settings) as tuqa:
                indexed(tuqa, task)


def aliases(packs: Path) -> Task:
    names: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, None] = {}
    for key, name in rows(packs / "webqsp" / "names.tsv"):
        names[key].add(fold(name))
        texts[name] = None
    known = list(rows(packs / "webqsp" / "aliases.tsv"))
    chosen = random.Random(7).sample(known, ALIASES)
    given = [alias for _, alias in chosen]
    return Task("aliases", given, [names[key] for key, _ in chosen], list(texts))


def slips(packs: Path) -> Task:
    with gzip.open(packs / "metaqa" / "kb.txt.gz", "rt", encoding="utf-8") as lines:
        facts = [line.rstrip("\n").split("|") for line in lines]
    names = sorted({name for head, _, tail in facts for name in (head, tail)})
    chance = random.Random(7)
    chosen = chance.sample([name for name in names if not name.isdigit()], SLIPS)
    given = [slip(name, chance) for name in chosen]
    return Task("slips", given, [{fold(name)} for name in chosen], names)


def slip(name: str, chance: random.Random) -> str:
    """One letter put in, left out, changed, or swapped with the next."""
    while True:
        at, letter = chance.randrange(len(name)), chance.choice(LETTERS)
        before, here, after = name[:at], name[at], name[at + 1 :]
        found = chance.choice(
            [
                before + letter + here + after,
                before + after,
                before + letter + after,
                before + after[:1] + here + after[1:],
            ]
        )
        if found and found != name:
            return found


def rows(path: Path) -> Iterable[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, name = line.partition("\t")
        yield key, name


def by_vector(pool: list[tuple[int | None, str]], near: dict[str, Any], given: str) -> list[Near]:
    best = np.argsort(-near[given])[:20]
    return [Near(pool[i][1], i, float(near[given][i])) for i in best]


def scored(given: str, pool: list[tuple[int | None, str]], cosines: Any = None) -> list[Near]:
    return score_near(given, pool, None if cosines is None else cosines.tolist())


def report(task: Task, way: str, look: Look, most: int | None = None) -> None:
    first = twenty = 0
    taken = []
    given = list(zip(task.given, task.right, strict=True))[:most]
    for name, right in given:
        begun = perf_counter()
        found = [fold(near.name) for near in look(name)[:20]]
        taken.append((perf_counter() - begun) * 1000)
        first += bool(found) and found[0] in right
        twenty += any(name in right for name in found)
    print(
        f"  {way:<32} {first / len(given):6.3f} {twenty / len(given):7.3f} "
        f"{statistics.median(taken):8.1f} {percentile(taken, 95):8.1f}",
        flush=True,
    )


def indexed(tuqa: TrustUQA, task: Task) -> None:
    """Names as heads of one relation; looked for among all names, and among what facts come from."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "names.tsv"
        path.write_text("".join(f"{name}\tlisted in\tthe list\n" for name in task.names))
        tuqa.load("kg", path, dataset=DATASET, mode="replace")
    try:
        for way, pool in (
            ("through the indexes", Pool((), "any", None, LARGE)),
            ("  those of one relation", Pool(("listed in",), "head", None, LARGE)),
        ):
            for how in (True, False):
                label = way if how else f"{way}, no vectors"
                report(task, label, partial(looked, tuqa, pool, how), THROUGH)
    finally:
        tuqa.drop(DATASET)


def looked(tuqa: TrustUQA, pool: Pool, embedded: bool, given: str) -> list[Near]:
    return tuqa.connection.read(
        lambda: near_nodes(given, [DATASET], pool, embedded), encode=tuqa._embedding.as_held
    )


if __name__ == "__main__":
    main()
