"""Embedding measured: names a second, neighbours that stay the same, one question, and the cache.

All ways of running the default model take turns at the same 10,000 names of MetaQA, and the quickest turn
of each counts, since the machine may have other things to do for a while. On a CPU without
bfloat16 its row says how near the vectors are, not how fast it is. Needs TUQA_PACKS, the folder of the
data packs.

    TUQA_PACKS=folder .venv/bin/python bench/embedding.py
"""

from __future__ import annotations

import gzip
import os
import random
import statistics
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from measuring import home

from trustuqa_neo4j.embedding import Encoder, Precision, open_embedder
from trustuqa_neo4j.embedding.running import has_bfloat16
from trustuqa_neo4j.graph import catalogue, embedded
from trustuqa_neo4j.graph.connection import Connection
from trustuqa_neo4j.loader import loader
from trustuqa_neo4j.loading import Progress, Request, load

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

SAMPLE = 10_000
TURN = 1_000
QUESTIONS = 200
SLICE = 1_000  # rows of the matrix of similarities at a time

Vectors = Any
Work = Callable[[list[str]], Vectors]


def main() -> None:
    packs = os.environ.get("TUQA_PACKS")
    if not packs:
        sys.exit("usage: TUQA_PACKS names no folder, set it to the folder of the data packs")
    names = read_names(Path(packs) / "metaqa" / "kb.txt.gz")
    sample = random.Random(7).sample(names, SAMPLE)
    has = "has" if has_bfloat16() else "has no"
    print(f"{os.cpu_count()} cores, the CPU {has} bfloat16, {len(names):,} names\n")

    full = Encoder(open_ours("float32"))
    from sentence_transformers import SentenceTransformer  # it imports torch: after ours has

    plain = SentenceTransformer(str(full._model._place), device="cpu")  # type: ignore[attr-defined]
    half = Encoder(open_ours("bfloat16"))
    ways = {
        "as it comes, batches of 256": lambda part: unsorted(plain, part, 256),
        "SentenceTransformer.encode, as it is": lambda part: unsorted(plain, part, 32),
        "float32, sorted": full.encode_all,
        "bfloat16, sorted": half.encode_all,
    }
    done = in_turns(ways, sample)
    first, expected = done["SentenceTransformer.encode, as it is"]
    for way, (speed, vectors) in done.items():
        wanted = "≥ 4,000" if way.startswith("bfloat16") and has_bfloat16() else ""
        row(way, speed, "names/s", first, unchanged(expected, vectors), wanted)
    stored = expected.astype(np.float16).astype(np.float32)
    print(
        f"{'kept as float16, not done':<38} {'':>26} {unchanged(expected, stored):8.2%} unchanged\n"
    )

    question(full)
    cache(full, sample)
    loading(Path(packs) / "metaqa" / "kb.txt.gz")


def open_ours(precision: Precision) -> Any:
    return open_embedder(device="cpu", precision=precision)._model


def read_names(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        facts = [line.rstrip("\n").split("|") for line in lines]
    return sorted({name for head, _, tail in facts for name in (head, tail)})


def unsorted(plain: SentenceTransformer, names: list[str], batch: int) -> Vectors:
    """At 32 as it is called by most, sorted by characters within the call; at 256 not sorted at all."""
    parts = [names] if batch == 32 else [names[i : i + batch] for i in range(0, len(names), batch)]
    return np.concatenate(
        [
            plain.encode(p, batch_size=batch, normalize_embeddings=True, show_progress_bar=False)
            for p in parts
        ]
    )


def in_turns(ways: dict[str, Work], names: list[str]) -> dict[str, tuple[float, Vectors]]:
    """Names a second in the quickest turn, after a warm-up, and the vectors, by way."""
    taken: dict[str, list[float]] = {way: [] for way in ways}
    vectors: dict[str, list[Vectors]] = {way: [] for way in ways}
    for work in ways.values():
        work(names[:500])
    for start in range(0, len(names), TURN):
        for way, work in ways.items():
            begun = perf_counter()
            vectors[way].append(work(names[start : start + TURN]))
            taken[way].append(perf_counter() - begun)
    return {way: (TURN / min(taken[way]), np.concatenate(vectors[way])) for way in ways}


def unchanged(expected: Vectors, vectors: Vectors) -> float:
    """Share of names whose nearest neighbour is still one: names differing in case only are equally near."""
    same = 0
    for start in range(0, len(expected), SLICE):
        rows = np.arange(start, min(start + SLICE, len(expected)))
        alike, found = expected[rows] @ expected.T, vectors[rows] @ vectors.T
        alike[rows - start, rows] = found[rows - start, rows] = -1
        same += int((alike[rows - start, found.argmax(1)] >= alike.max(1) - 1e-6).sum())
    return same / len(expected)


def question(full: Encoder) -> None:
    asked = [f"which films were directed by person number {i}" for i in range(QUESTIONS)]
    taken = []
    for text in asked:
        begun = perf_counter()
        full.encode_one(text)
        taken.append((perf_counter() - begun) * 1000)
    row("one question, p50", statistics.median(taken), "ms")
    row("one question, p95", statistics.quantiles(taken, n=20)[-1], "ms")


def cache(full: Encoder, names: list[str]) -> None:
    """What the cache costs while filling, and gives when full; the model is not asked."""
    vectors = full.encode_all(names[:256])
    with TemporaryDirectory() as folder:
        with open_embedder(cache_folder=Path(folder)) as kept:
            assert kept._cache is not None
            begun = perf_counter()
            for start in range(0, len(names), 256):
                part = names[start : start + 256]
                kept._cache.put_many(kept.identity, part, vectors[: len(part)])
            row("cache written", len(names) / (perf_counter() - begun), "names/s")
            begun = perf_counter()
            kept.encode_all(names)
            row("cache read", len(names) / (perf_counter() - begun), "names/s")
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / len(names)
        row("size", size, "bytes a name")
        with open_embedder(cache_folder=Path(folder)) as kept:
            begun = perf_counter()
            kept.encode_one(names[0])
            row("one name from the cache", (perf_counter() - begun) * 1000, "ms")


def loading(path: Path) -> None:
    """All names embedded in a load, beside encoding them alone, once the server has done so twice."""
    with TemporaryDirectory(prefix="tuqa-bench-") as folder, home(Path(folder)) as settings:
        running = embedded.running(settings)
        with closing(Connection.open(running)) as connection:

            def connecting() -> AbstractContextManager[Connection]:
                return nullcontext(connection)

            encoder = Encoder(open_ours("float32"))  # without a cache
            request = Request(loader("metaqa"), (str(path),), "bench")
            for _ in range(3):
                report = load(connecting, request, Progress(), lambda: encoder)
                texts = [text for (text,) in _names(connection)]
                catalogue.drop(connection, "bench")
        begun = perf_counter()
        encoder.encode_all(texts)
        alone = perf_counter() - begun
    row("encoded alone", len(texts) / alone, "names/s", wanted="≥ 1,800")
    row("embedded and written", report.embedded / report.embedding_seconds, "names/s")
    beside = report.embedding_seconds / alone * 100
    row("  time beside encoding alone", beside, "%", wanted="≤ 125")


def _names(connection: Connection) -> list[list[str]]:
    with connection.driver.session() as session:
        found = session.run(
            "MATCH (n:Name {dataset: 'bench'}) WHERE n.key IS NOT NULL RETURN n.name"
        )
        return [record.values() for record in found]


def row(
    what: str,
    value: float,
    unit: str,
    first: float | None = None,
    same: float | None = None,
    wanted: str = "",
) -> None:
    compared = "" if first is None else f"× {value / first:.2f}"
    stays = "" if same is None else f"{same:8.2%} unchanged"
    print(
        f"{what:<38} {value:10,.1f} {unit:<8} {compared:>6} {stays} {wanted}".rstrip(), flush=True
    )


if __name__ == "__main__":
    main()
