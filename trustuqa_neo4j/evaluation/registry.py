"""All benchmarks by name."""

from __future__ import annotations

from . import acme, metaqa, temporal, webqsp, wtq
from .benchmark import Benchmark

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        metaqa.BENCHMARK,
        wtq.BENCHMARK,
        webqsp.BENCHMARK,
        temporal.YAGO11K,
        temporal.CRONQUESTIONS,
        acme.BENCHMARK,
    )
}
