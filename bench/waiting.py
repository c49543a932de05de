"""Waiting times: the first answer of `tuqa ask`, many questions to a slow model, and queries per second.

The model is a local server that answers after 200 ms; the ideal time is that of waiting for the model alone.
Queries per second are measured for `TrustUQA.run` without a model, called by 1, 8 and 64 threads in turns.
The share of a query is fair if all threads wait as long: threads through queries per second. The data is that
of the example. The server runs before the measurement starts.

    make bench
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from harness import percentile, print_row, run_command
from history import record_figure

from trustuqa_neo4j import Answer, Settings, TrustUQA, embedded

ROOT = Path(__file__).parent.parent

DATASET = "bench-apollo"
QUESTION = "who commanded Apollo 13?"
QUERY = "Query1: \"get_information(head_entity='Apollo 13', relation='commander')\""
MODEL_SECONDS, QUESTIONS = 0.2, 64
RUNS, ROUNDS, THREADS = 512, 5, (1, 8, 64)


def main() -> None:
    settings = Settings.read()
    settings = settings if settings.uri else embedded.ensure_running(settings)
    with TrustUQA.connect(settings, embedder="none") as tuqa:
        for embedder in ("none", None):
            drop(tuqa)
            load(embedder)
            measure_first_answer(embedder)
        measure_questions(settings)
        measure_throughput(tuqa)
        drop(tuqa)


def load(embedder: str | None) -> None:
    """Load the example and its demonstrations with the commands."""
    example = ROOT / "docs" / "example"
    env = {"TUQA_EMBEDDER": embedder} if embedder else {}
    for loader, file in (
        ("kg", "apollo.tsv"),
        ("table", "missions.csv"),
        ("temporal-kg", "service.tsv"),
    ):
        run_command(
            "tuqa-load", loader, str(example / file), "--dataset", DATASET, "--append", env=env
        )
    demonstrations = str(example / "demonstrations.jsonl")
    run_command("tuqa", "demonstrations", "import", demonstrations, "--dataset", DATASET, env=env)


def drop(tuqa: TrustUQA) -> None:
    if any(dataset.name == DATASET for dataset in tuqa.datasets()):
        tuqa.drop(DATASET)


def measure_first_answer(embedder: str | None) -> None:
    env = {"TUQA_EMBEDDER": embedder} if embedder else {}
    times = [
        run_command("tuqa", "ask", QUESTION, "--dataset", DATASET, env=env).seconds
        for _ in range(5)
    ]
    label, limit = ("no embedding", "≤ 0.5 s") if embedder else ("embedding the question", "≤ 8 s")
    label = f"a cold `tuqa ask`, {label}"
    print_row(label, statistics.median(times), "s", limit, note="median of 5")
    record_figure(label, statistics.median(times), "s")


def measure_questions(settings: Settings) -> None:
    questions = [f"{QUESTION}{' ' * n}" for n in range(QUESTIONS)]
    for at_once in (8, QUESTIONS):
        ideal = MODEL_SECONDS * QUESTIONS / at_once
        for name, ask in (("threads", ask_in_threads), ("asyncio", ask_in_tasks)):
            with slow_model_client(settings) as tuqa:
                seconds = ask(tuqa, questions, at_once)
            label = f"{QUESTIONS} questions, {at_once} at once, {name}"
            note = f"{seconds / ideal:.2f} × ideal"
            print_row(label, seconds, "s", f"≤ {1.5 * ideal:.1f} s", note=note)
            record_figure(f"{label}, to the ideal", seconds / ideal, "×")


def measure_throughput(tuqa: TrustUQA) -> None:
    """Queries per second of ``run``; each number of threads runs the same number of queries in each round."""
    rates: dict[int, list[float]] = {threads: [] for threads in THREADS}
    shares: dict[int, list[float]] = {threads: [] for threads in THREADS}
    times: dict[int, list[float]] = {threads: [] for threads in THREADS}
    for round_number in range(ROUNDS + 1):
        for threads in THREADS:
            rate, share, processor_time = measure_round(tuqa, threads)
            if round_number:  # the first one fills the connection pool and compiles on the server
                rates[threads].append(rate)
                shares[threads].append(share)
                times[threads].append(processor_time)
    for threads in THREADS:
        label = f"{RUNS:,} queries by {threads} thread{'s' * (threads > 1)}"
        print_row(label, statistics.median(rates[threads]), "queries/s")
        print_row("  95 % wait at most", statistics.median(shares[threads]), "× fair", "≤ 1.5")
        print_row("  processor time", statistics.median(times[threads]), "ms", "≤ 2.5")
    for fewer, more in pairwise(THREADS):
        # Rounds lie side by side, so that other work on the machine slows both.
        ratio = statistics.median(m / f for m, f in zip(rates[more], rates[fewer], strict=True))
        print_row(f"  {more} threads : {fewer}", ratio, "×", "≥ 0.9" if more > 8 else "")
        record_figure(f"rate of {more} threads to {fewer}", ratio, "×", lower_is_better=False)
    most = max(THREADS)
    record_figure(f"95 % of {most} threads wait", statistics.median(shares[most]), "× fair share")
    record_figure("processor time of a query", statistics.median(times[1]), "ms")


def measure_round(tuqa: TrustUQA, threads: int) -> tuple[float, float, float]:
    """Queries per second, the wait of 95 % in fair shares, and the processor time of a query in ms."""

    def run(_: int) -> float:
        begun = perf_counter()
        run_query(tuqa)
        return perf_counter() - begun

    with ThreadPoolExecutor(threads) as pool:
        start, processor = perf_counter(), process_time()
        waits = list(pool.map(run, range(RUNS)))
        seconds = perf_counter() - start
        processor = process_time() - processor
    # Before all threads have begun and after the first has ended, queries wait for fewer others.
    waits = waits[threads:] if len(waits) > 2 * threads else waits
    rate = RUNS / seconds
    return rate, percentile(waits, 95) / (threads / rate), processor / RUNS * 1000


def run_query(tuqa: TrustUQA) -> None:
    assert tuqa.run(QUERY, DATASET).outcome == "answered"


@contextmanager
def slow_model_client(settings: Settings) -> Iterator[TrustUQA]:
    with run_model() as url, TemporaryDirectory() as home:
        settings = replace(settings, llm="openai:slow", openai_base_url=url, home=Path(home))
        with TrustUQA.connect(settings, embedder="none") as tuqa:
            yield tuqa


@contextmanager
def run_model() -> Iterator[str]:
    """The address of the tests' chat server; it runs in a process of its own to use no time of ours."""
    code = (
        "import sys; from support.chat_server import Chat, slow\n"
        f"with Chat(slow({MODEL_SECONDS}, {QUERY!r})) as chat:\n"
        "    print(chat.url, flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT / "tests"
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.communicate("")


def ask_in_threads(tuqa: TrustUQA, questions: list[str], at_once: int) -> float:
    """Seconds for all questions, after one that opens the connections."""
    tuqa.ask(f"{QUESTION}?", DATASET)
    start = perf_counter()
    check_answers(list(tuqa.ask_many(questions, DATASET, at_once=at_once)))
    return perf_counter() - start


def ask_in_tasks(tuqa: TrustUQA, questions: list[str], at_once: int) -> float:
    async def ask_all() -> float:
        try:
            await tuqa.aask(f"{QUESTION}?", DATASET)
            start = perf_counter()
            answers = [a async for a in tuqa.aask_many(questions, DATASET, at_once=at_once)]
            check_answers(answers)
            return perf_counter() - start
        finally:
            await tuqa.aclose()

    return asyncio.run(ask_all())


def check_answers(answers: list[Answer]) -> None:
    assert [answer.outcome for answer in answers] == ["answered"] * QUESTIONS


if __name__ == "__main__":
    main()
