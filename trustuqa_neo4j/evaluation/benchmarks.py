"""The benchmarks by name: one row each."""

from __future__ import annotations

from . import acme, cronquestions, metaqa, webqsp, wtq, yago11k
from .benchmark import Benchmark

BENCHMARKS: dict[str, Benchmark] = {
    each.BENCHMARK.name: each.BENCHMARK
    for each in (metaqa, wtq, webqsp, yago11k, cronquestions, acme)
}
