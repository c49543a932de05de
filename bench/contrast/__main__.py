"""Ask contrast questions over small generated files: ``python -m bench.contrast``.

A change of the meaning of a question changes its answer, so a reading that is merely near is wrong. The
questions are read without a model. The server is one of its own.

    python -m bench.contrast --split unseen --limit 1000 --seed 1
    python -m bench.contrast --check
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.answer_verdicts import (
    Judgement,
    ask_and_judge,
    count_pairs,
    render_table,
    write_failures,
)
from bench.harness import isolated_home
from bench.semantic_parser.contrast_corpus import judge_in_memory, read_contrast_questions
from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.semantic_parser.ranker import load_weights

from .check import check
from .collection import collection, write
from .files import read_questions


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.contrast", description=__doc__)
    parser.add_argument("--split", choices=("seen", "unseen"), default="seen")
    parser.add_argument("--limit", type=int, default=1000, help="number of questions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failures", type=Path, help="write what is not right to this file")
    parser.add_argument("--memory", action="store_true", help="without a server: nothing is loaded")
    parser.add_argument("--check", action="store_true", help="check the generator; ask nothing")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit(1 if check(arguments.seed) else 0)
    ask = ask_in_memory if arguments.memory else ask_with_server
    judgements = list(ask(arguments.split, arguments.seed, arguments.limit))
    judgements.sort(key=lambda judgement: judgement.question.id)
    print(render_table(judgements))
    pairs = count_pairs(judgements)
    print(f"pairs: {pairs.size}, two answers: {pairs.changed}, one answer: {pairs.half}")
    if arguments.failures:
        write_failures(judgements, arguments.failures)


def ask_in_memory(split: str, seed: int, limit: int) -> Iterator[Judgement]:
    """Read the questions over tables and graphs in memory: quick, without the loads and the database."""
    for kind in ("table", "graph"):
        weights = load_weights(kind)
        for case in read_contrast_questions(kind, split, limit, seed):
            yield judge_in_memory(case, weights)


def ask_with_server(split: str, seed: int, limit: int) -> list[Judgement]:
    with TemporaryDirectory() as home, TemporaryDirectory() as folder:
        files = Path(folder)
        write(collection(split, seed, limit), files)
        with (
            isolated_home(Path(home)) as settings,
            TrustUQA.connect(settings, llm="demonstrations", embedder="none") as tuqa,
        ):
            return list(ask_folder(tuqa, files))


def ask_folder(tuqa: TrustUQA, folder: Path) -> Iterator[Judgement]:
    """Load each file by itself, as it is, ask its questions and drop it."""
    paths = {path.stem: path for path in (folder / "data").iterdir()}
    by_file = read_questions(folder)
    for number, (name, questions) in enumerate(by_file.items(), 1):
        tuqa.load(paths[name], dataset=name, embeddings=False)
        for question in questions:
            yield ask_and_judge(tuqa, question, name)
        tuqa.drop(name)
        print(f"\r{number} of {len(by_file)} files", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
