"""Nearest names: aliases and typing errors, scored against all names and through the indexes.

Aliases of WebQSP must find the name of their node without the list of aliases. Names of MetaQA with one
letter inserted, removed, changed or swapped must find themselves. Each result stands beside that of the
nearest vector alone. Needs TUQA_PACKS, the folder of the data packs, and about a quarter of an hour.

    TUQA_PACKS=folder .venv/bin/python bench/name_resolution.py
"""

from __future__ import annotations

import gzip
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from harness import packs_folder, percentile

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.embedding import open_embedder
from trustuqa_neo4j.matching import ScoredName, normalize_name, score_names
from trustuqa_neo4j.reads.nearest import Pool, near_nodes

ALIASES, TYPING_ERRORS = 1_000, 300
INDEXED = 300  # names of each task that are also searched through the indexes
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DATASET = "bench names"
LARGE = 10**9  # a pool of this size is searched through the indexes


@dataclass(frozen=True)
class Task:
    """Names to search, the normalized names that are right for each, and all names."""

    name: str
    queries: list[str]
    right: list[set[str]]
    names: list[str]


Search = Callable[[str], list[ScoredName]]


def main() -> None:
    packs = packs_folder()
    settings = Settings.read()
    print(f"{'':<34} {'top 1':>6} {'top 20':>7}   p50 ms   p95 ms")
    with open_embedder(cache_folder=settings.home) as encoder:
        for task in (read_aliases(packs), make_typing_errors(packs)):
            print(f"{task.name}: {len(task.queries):,} among {len(task.names):,}")
            vectors = encoder.encode_all(task.names)
            query_vectors = encoder.encode_all(task.queries)
            cosines = dict(zip(task.queries, query_vectors @ vectors.T, strict=True))
            pool: list[tuple[int | None, str]] = list(enumerate(task.names))
            report(task, "the nearest vector", partial(search_vectors, pool, cosines))
            report(
                task, "all scored", lambda query, p=pool, c=cosines: score_all(query, p, c[query])
            )
            report(task, "all scored, without vectors", lambda query, p=pool: score_all(query, p))
            with TrustUQA.connect(settings) as tuqa:
                search_indexes(tuqa, task)


def read_aliases(packs: Path) -> Task:
    names: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, None] = {}
    for key, name in read_pairs(packs / "webqsp" / "names.tsv"):
        names[key].add(normalize_name(name))
        texts[name] = None
    aliases = list(read_pairs(packs / "webqsp" / "aliases.tsv"))
    chosen = random.Random(7).sample(aliases, ALIASES)
    queries = [alias for _, alias in chosen]
    return Task("aliases", queries, [names[key] for key, _ in chosen], list(texts))


def make_typing_errors(packs: Path) -> Task:
    with gzip.open(packs / "metaqa" / "kb.txt.gz", "rt", encoding="utf-8") as lines:
        facts = [line.rstrip("\n").split("|") for line in lines]
    names = sorted({name for head, _, tail in facts for name in (head, tail)})
    rng = random.Random(7)
    chosen = rng.sample([name for name in names if not name.isdigit()], TYPING_ERRORS)
    queries = [make_typing_error(name, rng) for name in chosen]
    return Task("typing errors", queries, [{normalize_name(name)} for name in chosen], names)


def make_typing_error(name: str, rng: random.Random) -> str:
    """Insert, remove or change a letter, or swap it with the next."""
    while True:
        index, new_letter = rng.randrange(len(name)), rng.choice(LETTERS)
        before, letter, after = name[:index], name[index], name[index + 1 :]
        changed = rng.choice(
            [
                before + new_letter + letter + after,
                before + after,
                before + new_letter + after,
                before + after[:1] + letter + after[1:],
            ]
        )
        if changed and changed != name:
            return changed


def read_pairs(path: Path) -> Iterable[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, name = line.partition("\t")
        yield key, name


def search_vectors(
    pool: list[tuple[int | None, str]], cosines: dict[str, Any], query: str
) -> list[ScoredName]:
    best = np.argsort(-cosines[query])[:20]
    return [ScoredName(pool[i][1], i, float(cosines[query][i])) for i in best]


def score_all(
    query: str, pool: list[tuple[int | None, str]], cosines: Any = None
) -> list[ScoredName]:
    return score_names(query, pool, None if cosines is None else cosines.tolist())


def report(task: Task, method: str, search: Search, limit: int | None = None) -> None:
    in_first = in_twenty = 0
    times = []
    queries = list(zip(task.queries, task.right, strict=True))[:limit]
    for name, right in queries:
        start = perf_counter()
        names = [normalize_name(scored.name) for scored in search(name)[:20]]
        times.append((perf_counter() - start) * 1000)
        in_first += bool(names) and names[0] in right
        in_twenty += any(name in right for name in names)
    print(
        f"  {method:<32} {in_first / len(queries):6.3f} {in_twenty / len(queries):7.3f} "
        f"{statistics.median(times):8.1f} {percentile(times, 95):8.1f}",
        flush=True,
    )


def search_indexes(tuqa: TrustUQA, task: Task) -> None:
    """Load the names as heads of one relation; search all names, and the heads of the relation."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "names.tsv"
        path.write_text("".join(f"{name}\tlisted in\tthe list\n" for name in task.names))
        tuqa.load("kg", path, dataset=DATASET, mode="replace")
    try:
        for method, pool in (
            ("through the indexes", Pool((), "any", None, LARGE)),
            ("  those of one relation", Pool(("listed in",), "head", None, LARGE)),
        ):
            for has_vectors in (True, False):
                label = method if has_vectors else f"{method}, no vectors"
                report(task, label, partial(search_nodes, tuqa, pool, has_vectors), INDEXED)
    finally:
        tuqa.drop(DATASET)


def search_nodes(tuqa: TrustUQA, pool: Pool, embedded: bool, query: str) -> list[ScoredName]:
    return tuqa.connection.read(
        lambda reader: near_nodes(reader, query, [DATASET], pool, embedded),
        encoding=tuqa._embedding,
    )


if __name__ == "__main__":
    main()
