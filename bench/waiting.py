"""How long a person waits: the first answer of `tuqa ask`, and many questions at once of a slow model.

The model is a local server that answers after 200 ms; the ideal is what waiting for it alone would take.
The data is the example's; the server runs before anything is measured.

    make bench
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from measuring import command, row

from trustuqa_neo4j import Answer, Settings, TrustUQA
from trustuqa_neo4j.graph import embedded

ROOT = Path(__file__).parent.parent

DATASET = "bench-apollo"
QUESTION = "who commanded Apollo 13?"
QUERY = "Query1: \"get_information(head_entity='Apollo 13', relation='commander')\""
SECONDS, MANY = 0.2, 64


def main() -> None:
    settings = Settings.read()
    settings = settings if settings.uri else embedded.running(settings)
    with TrustUQA.connect(settings, embedder="none") as tuqa:
        for plain in ("none", None):
            drop(tuqa)
            load(plain)
            cold(
                "no embedding" if plain else "embedding the question",
                "≤ 1 s" if plain else "≤ 8 s",
                plain,
            )
        at_once(settings)
        drop(tuqa)


def load(embedder: str | None) -> None:
    """The example with its demonstrations, by the commands."""
    example = ROOT / "docs" / "example"
    env = {"TUQA_EMBEDDER": embedder} if embedder else {}
    for form, file in (
        ("kg", "apollo.tsv"),
        ("table", "missions.csv"),
        ("temporal-kg", "service.tsv"),
    ):
        command("tuqa-load", form, str(example / file), "--dataset", DATASET, "--append", env=env)
    taught = str(example / "demonstrations.jsonl")
    command("tuqa", "demonstrations", "import", taught, "--dataset", DATASET, env=env)


def drop(tuqa: TrustUQA) -> None:
    if any(each.name == DATASET for each in tuqa.datasets()):
        tuqa.drop(DATASET)


def cold(what: str, limit: str, embedder: str | None) -> None:
    env = {"TUQA_EMBEDDER": embedder} if embedder else {}
    taken = [
        command("tuqa", "ask", QUESTION, "--dataset", DATASET, env=env).seconds for _ in range(5)
    ]
    row(f"a cold `tuqa ask`, {what}", sorted(taken)[2], "s", limit, note="median of 5")


def at_once(settings: Settings) -> None:
    questions = [f"{QUESTION}{' ' * n}" for n in range(MANY)]
    for at_once in (8, MANY):
        ideal = SECONDS * MANY / at_once
        for name, ask in (("threads", threads), ("asyncio", tasks)):
            seconds = measured(settings, lambda c, a=ask, n=at_once: a(c, questions, n))  # type: ignore[misc]
            what = f"{MANY} questions, {at_once} at once, {name}"
            row(what, seconds, "s", f"≤ {1.5 * ideal:.1f} s", note=f"{seconds / ideal:.2f} × ideal")


def measured(settings: Settings, ask: Callable[[TrustUQA], float]) -> float:
    """Seconds for all questions, once client and model have been asked one."""
    with model() as url, TemporaryDirectory() as home:
        own = replace(settings, llm="openai:slow", openai_base_url=url, home=Path(home))
        with TrustUQA.connect(own, embedder="none") as tuqa:
            return ask(tuqa)


@contextmanager
def model() -> Iterator[str]:
    """The address of the tests' server, in a process of its own: what it works is not ours."""
    code = (
        "import sys; from chatting import Chat, slow\n"
        f"with Chat(slow({SECONDS}, {QUERY!r})) as chat: print(chat.url, flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT / "tests"
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.communicate("")


def threads(tuqa: TrustUQA, questions: list[str], at_once: int) -> float:
    tuqa.ask(f"{QUESTION}?", DATASET)
    begun = perf_counter()
    answers = list(tuqa.ask_many(questions, DATASET, at_once=at_once))
    return checked(answers, perf_counter() - begun)


def tasks(tuqa: TrustUQA, questions: list[str], at_once: int) -> float:
    async def work() -> float:
        try:
            await tuqa.aask(f"{QUESTION}?", DATASET)
            begun = perf_counter()
            answers = [a async for a in tuqa.aask_many(questions, DATASET, at_once=at_once)]
            return checked(answers, perf_counter() - begun)
        finally:
            await tuqa.aclose()

    return asyncio.run(work())


def checked(answers: list[Answer], seconds: float) -> float:
    assert [answer.outcome for answer in answers] == ["answered"] * MANY
    return seconds


if __name__ == "__main__":
    main()
