"""Ask the same questions of the reader, of a model, and of both: ``python -m bench.with_model BENCHMARK``.

The answers of each setting are appended to a file of ``--out``; the same command again asks only what is
missing. Replies of the model are cached, so another rule can be measured on the same replies. No question is
demonstrated, and brackets around names are removed. The address of the model is ``OPENAI_BASE_URL``.

    python -m bench.with_model wtq --packs DIR --limit 30 --llm openai:local --out FOLDER
    python -m bench.with_model wtq --packs DIR --limit 30 --llm openai:local --out FOLDER --print
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.evaluation.benchmark import Case, CaseSet
from trustuqa_neo4j.evaluation.metaqa import remove_brackets
from trustuqa_neo4j.evaluation.registry import BENCHMARKS
from trustuqa_neo4j.evaluation.results_file import ResultLine, open_results, read_results
from trustuqa_neo4j.evaluation.runner import RunOptions, find_pack, load_dataset, run_cases
from trustuqa_neo4j.evaluation.summary import is_right
from trustuqa_neo4j.questions.options import MODEL_PRECISION, AskOptions

HEADER = (
    "setting", "n", "answered", "right", "precision", "at the reader's coverage", "model alone",
    "repaired, right", "calls", "tokens", "seconds", "without a fact",
)  # fmt: skip


def list_settings(llm: str, precision: float, retries: int) -> dict[str, AskOptions]:
    """The options of each setting."""
    asked: AskOptions = {"llm": llm, "retries": retries, "fallback": True}
    return {
        "reader": {"llm": "demonstrations"},
        "model": {**asked, "reader": False},
        "together": {**asked, "model_precision": precision},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.with_model", description=__doc__)
    parser.add_argument("benchmark", choices=[name for name, b in BENCHMARKS.items() if b.pack])
    parser.add_argument("--packs", type=Path, required=True, help="folder of the data packs")
    parser.add_argument("--llm", required=True, help="the model, e.g. openai:local")
    parser.add_argument("--out", type=Path, required=True, help="folder of the answers")
    parser.add_argument("--limit", type=int, default=200, help="number of questions")
    parser.add_argument("--sample", type=int, default=1, help="seed of their choice")
    parser.add_argument("--retries", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600.0)
    parser.add_argument("--model-precision", type=float, default=MODEL_PRECISION)
    parser.add_argument("--print", action="store_true", help="ask nothing: print what is there")
    arguments = parser.parse_args()
    benchmark = BENCHMARKS[arguments.benchmark]
    pack = find_pack(benchmark, arguments.packs)
    prepared = benchmark.ask(pack).prepared
    cases = [*map(remove_brackets, prepared.cases)]
    Random(arguments.sample).shuffle(cases)
    cases = cases[: arguments.limit]
    arguments.out.mkdir(parents=True, exist_ok=True)
    settings = list_settings(arguments.llm, arguments.model_precision, arguments.retries)
    paths = {name: arguments.out / f"{name}.jsonl" for name in settings}
    if not arguments.print:
        with TrustUQA.connect(embedder="none") as tuqa:
            dataset = load_dataset(
                tuqa, benchmark, pack, f"with-model-{benchmark.name}", embeddings=False
            )
            for name, options in settings.items():
                how: AskOptions = {**options, "demonstrations": False, "evidence": 0}
                run = RunOptions(dataset.name, 1, arguments.timeout, how)
                ask_missing(tuqa, prepared, cases, run, paths[name])
    results = {
        name: [*read_results(path, cases, prepared.score).values()] for name, path in paths.items()
    }
    print_table(results)


def ask_missing(
    tuqa: TrustUQA, prepared: CaseSet, cases: Sequence[Case], run: RunOptions, path: Path
) -> None:
    """Ask the cases that ``path`` lacks, and append their results."""
    done = read_results(path, cases, prepared.score)
    missing = [case for case in cases if case.id not in done]
    with open_results(path) as file:
        assert file is not None

        def write(line: ResultLine) -> None:
            file.write(line.to_json() + "\n")
            file.flush()
            print(f"{path.stem} {line.id}: {line.outcome}", file=sys.stderr, flush=True)

        run_cases(tuqa, prepared, missing, run, write)


def print_table(results: Mapping[str, Sequence[ResultLine]]) -> None:
    coverage = len(select_answered(results.get("reader", ())))
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
    for name, lines in results.items():
        print(f"| {' | '.join((name, *measure(lines, coverage)))} |")


def measure(lines: Sequence[ResultLine], coverage: int) -> tuple[str, ...]:
    """The cells of a row; ``coverage`` is the number of answers that the reader gives."""
    answered = select_answered(lines)
    surest = sorted(answered, key=lambda line: -(line.confidence or 0.0))[:coverage]
    seconds = sum(line.ms.get("total", 0.0) for line in lines) / 1000
    usage = [line.usage for line in lines]
    tokens = sum(u.get("input_tokens", 0) + u.get("output_tokens", 0) for u in usage)
    return (
        str(len(lines)),
        str(len(answered)),
        str(sum(map(is_right, answered))),
        format_share(answered),
        format_share(surest),
        format_share([line for line in answered if line.origin == "model"]),
        str(sum(bool(line.sent_back) and is_right(line) for line in lines)),
        str(sum(u.get("calls", 0) + u.get("cached", 0) for u in usage)),
        f"{tokens:,}",
        f"{seconds:,.0f}",
        str(sum(line.facts == 0 for line in answered)),
    )


def select_answered(lines: Sequence[ResultLine]) -> list[ResultLine]:
    return [line for line in lines if line.outcome == "answered"]


def format_share(lines: Sequence[ResultLine]) -> str:
    right = sum(map(is_right, lines))
    return f"{right} of {len(lines)}" + (f", {100 * right / len(lines):.0f} %" if lines else "")


if __name__ == "__main__":
    main()
