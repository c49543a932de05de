"""`tuqa serve` beside the engine: requests per second, waiting times, memory, and the time to the first page.

The engine is `TrustUQA.run`, called by 8 threads of one process. The server is a process of its own, asked by
64 clients of another process, which all run at once. Both run the same query over the data of the example, in
turns. The server runs on the same machine as its clients, which take processor time too. The rate is the
median of the rates of the rounds, since other work on the machine changes both sides of a round alike.

    python bench/serving.py [SECONDS]
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from operator import truediv
from pathlib import Path
from time import perf_counter
from urllib.request import Request, urlopen

import psutil
from harness import percentile, print_row
from history import record_figure

from trustuqa_neo4j import Settings, TrustUQA, embedded

ROOT = Path(__file__).parent.parent

DATASET = "bench-serving"
QUERY = "Query1: \"get_information(head_entity='Apollo 13', relation='commander')\""
CLIENTS, THREADS, ROUNDS, STARTS = 64, 8, 5, 5
QUESTIONS = 10_000
TOKEN = "token-of-the-benchmark"  # of a server that lives for a minute
PORT = 8790


def main(seconds: float) -> None:
    settings = Settings.read()
    settings = settings if settings.uri else embedded.ensure_running(settings)
    os.environ |= {"TUQA_SERVE_TOKEN": TOKEN, "TUQA_EMBEDDER": "none"}
    with TrustUQA.connect(settings, embedder="none") as tuqa:
        example = ROOT / "docs" / "example"
        tuqa.load("kg", example / "apollo.tsv", dataset=DATASET, mode="replace-all")
        measure_starts()
        measure_throughput(tuqa, seconds)
        tuqa.drop(DATASET)


@contextmanager
def serving() -> Iterator[psutil.Process]:
    """The process of a server that answers."""
    script = str(Path(sys.executable).with_name("tuqa"))
    command = [script, "serve", "--port", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        read("/")
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


def read(path: str) -> bytes:
    request = Request(
        f"http://127.0.0.1:{PORT}{path}", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    with urlopen(request) as response:
        content: bytes = response.read()
        return content


def measure_memory(process: psutil.Process) -> float:
    """Megabytes of all processes of the server."""
    processes = (process, *process.children(recursive=True))
    return sum(entry.memory_info().rss for entry in processes) / 1e6


def measure_starts() -> None:
    times = []
    for _ in range(STARTS):
        begun = perf_counter()
        with serving():
            times.append(perf_counter() - begun)
    print_row("first page after the start", statistics.median(times), "s", "≤ 1.5")
    record_figure("first page after the start", statistics.median(times), "s")


def measure_throughput(tuqa: TrustUQA, seconds: float) -> None:
    engine: list[float] = []
    server: list[float] = []
    waits: list[float] = []
    memory: list[float] = []
    with serving() as process, get_context("spawn").Pool(1) as pool:
        pool.apply(ask_at_once, (2.0,))
        for _ in range(ROUNDS):
            engine.append(measure_engine(tuqa, seconds))
            memory.append(measure_memory(process))
            times = pool.apply(ask_at_once, (seconds,))
            server.append(len(times) / seconds)
            waits += times
        print_row(f"engine, {THREADS} threads", statistics.median(engine), "queries/s")
        print_row(f"server, {CLIENTS} clients", statistics.median(server), "queries/s")
        fair = CLIENTS / statistics.median(server) * 1000
        print_row("fair share of the time", fair, "ms")
        wait = percentile(waits, 95) * 1000
        print_row("95 % wait at most", wait, "ms", f"≤ {1.5 * fair:.0f}")
        ratio = statistics.median(map(truediv, server, engine))
        print_row("rate of the server to the engine", ratio, "×", "≥ 0.90")
        record_figure("rate of the server to the engine", ratio, "×", lower_is_better=False)
        record_figure(f"95 % of {CLIENTS} clients wait", wait / fair, "× fair share")
        done = len(waits)
        while done < QUESTIONS:
            done += len(pool.apply(ask_at_once, (seconds,)))
        memory.append(measure_memory(process))
        print_row("memory after the warm-up", memory[0], "MB")
        print_row(f"memory after {done:,} questions", memory[-1], "MB")
        health = json.loads(read("/healthz"))
        print_row("requests that still run or wait", health["running"] + health["waiting"], "", "0")


def measure_engine(tuqa: TrustUQA, seconds: float) -> float:
    end = perf_counter() + seconds

    def run(_: int) -> int:
        count = 0
        while perf_counter() < end:
            assert tuqa.run(QUERY, DATASET).outcome == "answered"
            count += 1
        return count

    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(run, range(THREADS))) / seconds


def ask_at_once(seconds: float) -> list[float]:
    """Seconds that each request of all clients waited; a request that fails ends the benchmark."""
    return asyncio.run(_ask_at_once(seconds))


async def _ask_at_once(seconds: float) -> list[float]:
    end = perf_counter() + seconds
    body = json.dumps({"query": QUERY, "dataset": DATASET}).encode()
    head = (
        f"POST /api/v1/run HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()

    async def ask() -> list[float]:
        times = []
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
        while perf_counter() < end:
            begun = perf_counter()
            writer.write(head + body)
            headers = (await reader.readuntil(b"\r\n\r\n")).decode()
            assert headers.startswith("HTTP/1.1 200"), headers
            length = next(
                int(line.split(":")[1])
                for line in headers.splitlines()
                if line.lower().startswith("content-length")
            )
            assert b'"answered"' in await reader.readexactly(length)
            times.append(perf_counter() - begun)
        writer.close()
        return times

    return [
        time for times in await asyncio.gather(*(ask() for _ in range(CLIENTS))) for time in times
    ]


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 20.0)
