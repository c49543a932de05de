"""Ask pairs of questions, of which the second follows the first: ``python -m bench.follow_ups FOLDER``.

The folder has ``tables`` and ``graphs``, and ``pairs.jsonl`` with the files of each pair, both questions and
their right answers; a follow-up whose answer is null cannot be answered. Where the right reading of the first
question is only offered, it is picked, as a person does. A pair counts if the first answer is right then.

    python -m bench.follow_ups FOLDER --failures FILE
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.answer_verdicts import LabelledQuestion, is_right
from bench.harness import isolated_home
from trustuqa_neo4j import Answer, Settings, TrustUQA, TrustUQAError

VERDICTS = ("right", "wrong", "refused", "offered right", "offered", "first not right")
_FORMATS = {"table": "table", "kg": "kg", "temporal-kg": "temporal-kg"}


@dataclass(frozen=True, slots=True)
class PairResult:
    """The verdict on the follow-up of a pair, with the answers to both questions."""

    pair: Mapping[str, Any]
    verdict: str
    first: Answer
    second: Answer | None = None

    def to_dict(self) -> dict[str, Any]:
        second = self.second or Answer("failed")
        return {
            **self.pair,
            "verdict": self.verdict,
            "first given": list(self.first.values[:20]),
            "first query": self.first.llm_query,
            "given": list(second.values[:20]),
            "understood": second.understood,
            "query": second.llm_query,
            "confidence": second.confidence,
            "problems": [problem.message for problem in second.problems],
            "readings": [[r.probability, r.query] for r in second.readings],
        }


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.follow_ups", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--failures", type=Path, help="write the pairs that are not right to this file"
    )
    parser.add_argument("--ids", nargs="*", help="ask these pairs only")
    arguments = parser.parse_args()
    lines = (arguments.folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines if line.strip()]
    if arguments.ids:
        pairs = [pair for pair in pairs if pair["id"] in arguments.ids]
    results = list(ask_pairs(pairs, arguments.folder))
    print_counts(results)
    if arguments.failures:
        failures = [result.to_dict() for result in results if result.verdict != "right"]
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in failures)
        arguments.failures.write_text(text, encoding="utf-8")


def ask_pairs(pairs: Sequence[Mapping[str, Any]], folder: Path) -> Iterator[PairResult]:
    if os.environ.get("NEO4J_URI"):
        with TrustUQA.connect(llm="demonstrations", embedder="none") as tuqa:
            yield from _ask(tuqa, pairs, folder)
        return
    with TemporaryDirectory() as home, isolated_home(Path(home)) as settings:
        yield from _ask_at(settings, pairs, folder)


def _ask_at(
    settings: Settings, pairs: Sequence[Mapping[str, Any]], folder: Path
) -> Iterator[PairResult]:
    with TrustUQA.connect(settings, llm="demonstrations", embedder="none") as tuqa:
        yield from _ask(tuqa, pairs, folder)


def _ask(tuqa: TrustUQA, pairs: Sequence[Mapping[str, Any]], folder: Path) -> Iterator[PairResult]:
    loaded: dict[tuple[str, ...], str] = {}
    for pair in pairs:
        files = tuple(pair["data"])
        if files not in loaded:
            loaded[files] = f"pairs{len(loaded)}"
            for place, file in enumerate(files):
                _load(tuqa, folder, file, pair["kind"], loaded[files], is_first=place == 0)
        yield ask_pair(tuqa, pair, loaded[files])
    for dataset in loaded.values():
        tuqa.drop(dataset)


def _load(
    tuqa: TrustUQA, folder: Path, file: str, kind: str, dataset: str, *, is_first: bool
) -> None:
    places = (folder / file, folder / "tables" / file, folder / "graphs" / file)
    path = next(place for place in places if place.is_file())
    form = "table" if path.suffix == ".csv" else _FORMATS[kind]
    mode: Any = "replace-all" if is_first else "append"
    tuqa.load(path, format=form, dataset=dataset, mode=mode, embeddings=False)


def ask_pair(tuqa: TrustUQA, pair: Mapping[str, Any], dataset: str) -> PairResult:
    first = _ask_right(tuqa, pair, dataset)
    if first is None:
        return PairResult(pair, "first not right", Answer("failed"))
    try:
        second = tuqa.ask(pair["follow_up"], dataset, follows=first)
    except TrustUQAError as error:
        return PairResult(pair, f"refused ({error.kind})", first)
    return PairResult(pair, _judge(tuqa, pair, dataset, second), first, second)


def _ask_right(tuqa: TrustUQA, pair: Mapping[str, Any], dataset: str) -> Answer | None:
    """Ask the first question; pick the right one of the offered readings; None if there is none."""
    expected = _label(pair["id"], pair["first"], pair["first_answer"])
    answer = tuqa.ask(pair["first"], dataset)
    if is_right(expected, answer):
        return answer
    for number in range(1, len(answer.readings) + 1):
        picked = tuqa.ask(pair["first"], dataset, pick=number)
        if is_right(expected, picked):
            return picked
    return None


def _judge(tuqa: TrustUQA, pair: Mapping[str, Any], dataset: str, answer: Answer) -> str:
    members = pair["answer"]
    if members is None:
        return "wrong" if answer.outcome == "answered" else "right"
    expected = _label(pair["id"], pair["follow_up"], members)
    if answer.outcome == "answered":
        return "right" if is_right(expected, answer) else "wrong"
    if answer.outcome == "empty" and not members:
        return "right"
    if not answer.readings:
        return "refused"
    offered = (tuqa.run(reading.query, dataset) for reading in answer.readings)
    return "offered right" if any(is_right(expected, run) for run in offered) else "offered"


def _label(name: str, text: str, members: Any) -> LabelledQuestion:
    values = members if isinstance(members, list) else [members]
    return LabelledQuestion(name, text, "", tuple(values))


def print_counts(results: Sequence[PairResult]) -> None:
    kinds = sorted({result.pair["kind"] for result in results})
    for kind in ("all", *kinds):
        chosen = [r for r in results if kind in ("all", r.pair["kind"])]
        counts = Counter(result.verdict for result in chosen)
        asked = len(chosen) - counts["first not right"]
        shares = ", ".join(
            f"{counts[name]} {name} ({100 * counts[name] / max(asked, 1):.1f} %)"
            for name in counts
            if name != "first not right"
        )
        print(f"{kind}: {asked} pairs asked, {counts['first not right']} first not right: {shares}")


if __name__ == "__main__":
    main()
