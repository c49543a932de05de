"""The share of right answers among recorded queries with open warnings, and among those without.

Open warnings are names that the relation of a query never leads to. The ratio of the shares is the factor of
a confidence for an open warning (``trustuqa_neo4j.answer``). Stops after two minutes.

    TUQA_PACKS=folder python -m bench.open_warnings [QUERIES]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from time import monotonic

from bench.harness import packs_folder
from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.answer import OPEN_KINDS, SUCCESS_OUTCOMES
from trustuqa_neo4j.evaluation import wtq

DATASET = "prompts-wtq"
SECONDS = 120


def main() -> None:
    folder = packs_folder() / "wtq"
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    prepared = wtq.BENCHMARK.prepare(folder, None)
    cases = random.Random(5).sample(prepared.cases, limit)
    counts: Counter[tuple[str, int, bool]] = Counter()
    with TrustUQA.connect(Settings.read(), embedder="none") as tuqa:
        if DATASET not in {dataset.name for dataset in tuqa.datasets() if dataset.complete}:
            tuqa.load("wikitablequestions", folder / "tables.tar.gz", dataset=DATASET)
        sources = {
            "/".join(source.name.split("/")[-3:]): source.name
            for source in tuqa.schema(DATASET).sources
        }
        end = monotonic() + SECONDS
        for case in cases:
            if monotonic() > end:
                break
            source = sources[case.source or ""]
            answer = tuqa.run(case.query, DATASET, source=source)
            if answer.outcome not in SUCCESS_OUTCOMES:
                continue
            problems = tuqa.check(case.query, DATASET, source=source).problems
            warnings = sum(problem.kind in OPEN_KINDS for problem in problems)
            is_right = bool(wtq.score(case, answer.values)["denotation"])
            counts[answer.outcome, min(warnings, 2), is_right] += 1
    print(f"{'outcome':<10}{'open warnings':>14}{'answers':>10}{'right %':>10}")
    for outcome in SUCCESS_OUTCOMES:
        for warnings in (0, 1, 2):
            right, wrong = (counts[outcome, warnings, side] for side in (True, False))
            if right + wrong:
                share = 100 * right / (right + wrong)
                print(f"{outcome:<10}{warnings:>14}{right + wrong:>10}{share:>10.1f}")


if __name__ == "__main__":
    main()
