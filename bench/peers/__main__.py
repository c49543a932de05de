"""Ask the same questions of this package and of its peers: ``python -m bench.peers BENCHMARK``.

The peers are installed into an environment below ``--out``. They read the property graph that ``tuqa export
--neo4j`` writes, on a server of its own. Each system appends its answers to a file of ``--out``; the same
command again asks only what is missing. The address of the model is ``OPENAI_BASE_URL``.

    python -m bench.peers metaqa --packs DIR --limit 8 --llm openai:local --out FOLDER
    python -m bench.peers metaqa --packs DIR --limit 8 --llm openai:local --out FOLDER --print
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.with_model import list_settings
from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.evaluation.benchmark import Case, ScoredAnswer
from trustuqa_neo4j.evaluation.metaqa import remove_brackets
from trustuqa_neo4j.evaluation.registry import BENCHMARKS
from trustuqa_neo4j.evaluation.runner import RunOptions, find_pack, load_dataset, run_case
from trustuqa_neo4j.questions.options import MODEL_PRECISION

from .peer_process import PEER, PeerProcess, make_environment
from .property_graph import export_prepared, serve_graph
from .verdicts import HEADER, SystemAnswer, measure

OWN = {"reader alone": "reader", "reader and model": "together"}
"""Name of a row → the setting of ``bench.with_model``."""

PEERS = {"GraphCypherQAChain": "langchain", "Text2CypherRetriever": "graphrag"}
RETRIES = 3
Ask = Callable[[Case], SystemAnswer]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.peers", description=__doc__)
    parser.add_argument("benchmark", choices=["metaqa", "acme"])
    parser.add_argument("--packs", type=Path, required=True, help="folder of the data packs")
    parser.add_argument("--llm", required=True, help="the model, e.g. openai:local")
    parser.add_argument("--out", type=Path, required=True, help="folder of the answers")
    parser.add_argument("--limit", type=int, default=8, help="number of questions of each group")
    parser.add_argument(
        "--timeout", type=float, default=600.0, help="seconds that a system has for one question"
    )
    parser.add_argument("--print", action="store_true", help="ask nothing: print what is there")
    arguments = parser.parse_args()
    pack = find_pack(BENCHMARKS[arguments.benchmark], arguments.packs)
    prepared = BENCHMARKS[arguments.benchmark].ask(pack).prepared
    cases = choose_cases(map(remove_brackets, prepared.cases), arguments.limit)
    folder = arguments.out / arguments.benchmark
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name.replace(' ', '-')}.jsonl" for name in (*OWN, *PEERS)}
    if not arguments.print:
        ask_systems(arguments, pack, cases, paths)
    by_id = {case.id: case for case in cases}
    print_table(by_id, keep_common({name: read_answers(path) for name, path in paths.items()}))


def choose_cases(cases: Iterable[Case], limit: int) -> list[Case]:
    """Choose ``limit`` cases of each group, the same whatever the others are."""
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: sha256(case.id.encode()).digest()):
        groups[case.group].append(case)
    chosen = ((rank, name) for name, members in groups.items() for rank in range(len(members)))
    return [groups[name][rank] for rank, name in sorted(chosen) if rank < limit]


def ask_systems(
    arguments: argparse.Namespace, pack: Path, cases: Sequence[Case], paths: Mapping[str, Path]
) -> None:
    name = arguments.benchmark
    with ExitStack() as stack:
        tuqa = stack.enter_context(TrustUQA.connect(embedder="none"))
        load_dataset(tuqa, BENCHMARKS[name], pack, name, embeddings=False)
        python = make_environment(arguments.out / "environment")
        home = arguments.out.resolve() / f"{name}-server"
        address = stack.enter_context(serve_graph(home))
        export_prepared(tuqa, name, address, home / "prepared")
        settings = list_settings(arguments.llm, MODEL_PRECISION, RETRIES)
        model = arguments.llm.partition(":")[2]
        systems: dict[str, Ask] = {}
        for label, setting in OWN.items():
            how = {**settings[setting], "demonstrations": False, "evidence": 0}
            run = RunOptions(name, 1, arguments.timeout, how)  # type: ignore[arg-type]
            systems[label] = partial(ask_own, tuqa, run)
        for label, peer in PEERS.items():
            command = (str(python), str(PEER), peer, model)
            process = stack.enter_context(
                closing(PeerProcess(command, address.environment, arguments.timeout))
            )
            systems[label] = partial(ask_peer, process)
        ask_missing(cases, systems, paths)


def ask_own(tuqa: TrustUQA, run: RunOptions, case: Case) -> SystemAnswer:
    answer = run_case(tuqa, case, run)
    scored = ScoredAnswer(answer.outcome, answer.values, answer.rows)
    failure = answer.problems[0].message if answer.problems else answer.outcome
    return SystemAnswer(
        case.id,
        case.group,
        scored.table,
        refusal=None if answer.outcome in ("answered", "empty", "failed") else failure,
        error=failure if answer.outcome == "failed" else None,
        seconds=answer.ms.get("total", 0.0) / 1000,
        input_tokens=answer.usage.get("input_tokens", 0),
        output_tokens=answer.usage.get("output_tokens", 0),
    )


def ask_peer(process: PeerProcess, case: Case) -> SystemAnswer:
    return SystemAnswer(case.id, case.group, **freeze(process.ask(case.question)))


def freeze(fields: Mapping[str, Any]) -> dict[str, Any]:
    rows = tuple(tuple(row) for row in fields.get("rows", ()))
    return {**fields, "rows": rows, "statements": tuple(fields.get("statements", ()))}


def ask_missing(
    cases: Sequence[Case], systems: Mapping[str, Ask], paths: Mapping[str, Path]
) -> None:
    """Ask each system the cases that its file lacks, and append its answers.

    Each case goes to all systems before the next: whatever is there is of the same questions.
    """
    done = {label: {answer.id for answer in read_answers(paths[label])} for label in systems}
    for case in cases:
        for label, ask in systems.items():
            if case.id not in done[label]:
                answer = ask(case)
                with paths[label].open("a", encoding="utf-8") as file:
                    file.write(json.dumps(answer.to_fields(), ensure_ascii=False) + "\n")
                print(f"{label} {case.id}: {answer.seconds:.1f} s", file=sys.stderr, flush=True)


def read_answers(path: Path) -> list[SystemAnswer]:
    """Read the answers of a file; an incomplete last line is cut off."""
    if not path.exists():
        return []
    content = path.read_bytes()
    size = content.rfind(b"\n") + 1
    if size < len(content):
        with path.open("r+b") as file:
            file.truncate(size)
    return [SystemAnswer(**freeze(json.loads(line))) for line in content[:size].splitlines()]


def keep_common(answers: Mapping[str, Sequence[SystemAnswer]]) -> dict[str, list[SystemAnswer]]:
    """Keep the answers to the questions that all systems were asked: a run may have been interrupted."""
    common = set.intersection(*({answer.id for answer in lines} for lines in answers.values()))
    return {name: [a for a in lines if a.id in common] for name, lines in answers.items()}


def print_table(cases: Mapping[str, Case], answers: Mapping[str, Sequence[SystemAnswer]]) -> None:
    groups = dict.fromkeys(case.group for case in cases.values())
    for group in (*groups, "all"):
        print(f"\n{group}\n\n| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}")
        for name, lines in answers.items():
            asked = [a for a in lines if a.id in cases and group in (a.group, "all")]
            print(f"| {' | '.join((name, *measure(cases, asked)))} |")


if __name__ == "__main__":
    main()
