"""All benchmarks by name, and the variant that reads a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import MissingFile
from . import acme, metaqa, temporal, webqsp, wtq
from .benchmark import Benchmark
from .releases import OWN, PACKS, RELEASES, make_benchmark
from .several import CROSS, MIXED

_OWN_PACKS = tuple(make_benchmark(name, row, pack=name) for name, row in PACKS.items())

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: replace(
        benchmark,
        release=make_benchmark(benchmark.name, RELEASES[benchmark.name])
        if benchmark.name in RELEASES
        else benchmark.release,
    )
    for benchmark in (
        metaqa.BENCHMARK,
        wtq.BENCHMARK,
        webqsp.BENCHMARK,
        temporal.YAGO11K,
        temporal.CRONQUESTIONS,
        acme.BENCHMARK,
        *_OWN_PACKS,
        OWN,
        MIXED,
        CROSS,
    )
}


def choose_layout(benchmark: Benchmark, path: Path) -> Benchmark:
    """Return the variant that reads the files in ``path``: as released, or as a data pack."""
    if not path.exists():
        raise MissingFile("no such file or folder", where=str(path), hint="give an existing one")
    release = benchmark.release
    if release is not None and any(any(path.glob(mark)) for mark in release.marks):
        return release
    if release is None or any(path.glob("**/*.jsonl*")):
        return benchmark
    raise MissingFile(
        f"no files of {benchmark.name}",
        where=str(path),
        hint=f"a release has {' or '.join(release.marks)}, a data pack questions as JSON lines",
    )
