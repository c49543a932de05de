"""What mutants are made of: right queries of ACME, MetaQA or a file, and the data they are asked of."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from ..client import TrustUQA
from ..loading import Progress
from . import packs, replay
from .benchmarks import BENCHMARKS
from .mutating.instances import instance, write_graph
from .mutating.mutants import Origin
from .mutating.outline import Outline, outline, read_graph
from .mutations import Ground

INSTANCES = 3
"""Instances drawn of small data."""

SMALL = 20_000
"""Facts from which on data is manifold enough by itself."""

QUESTIONS = 15
"""Recorded queries of MetaQA that are taken of each hop."""


@contextmanager
def acme(tuqa: TrustUQA, pack: Path, progress: Progress) -> Iterator[tuple[Ground, Outline]]:
    """ACME's right programs over the graph of its mapping, with the ontology and without.

    Raises:
        UsageError, DataError, DatabaseError
    """
    folder = pack / "acme"
    ontology = folder / "ontology" / "insurance.ttl"
    names = {"ontology": "eval-mutations-acme", "inferred": "eval-mutations-acme-inferred"}
    given = {"ontology": (folder / "data", ontology), "inferred": (folder / "data",)}
    there = {each.name for each in tuqa.datasets() if each.complete}
    for check, name in names.items():
        if name not in there:
            tuqa.load("r2rml", *given[check], dataset=name, embeddings=False, progress=progress)
    asked = {r.text("id"): r.text("question") for r in packs.records(folder / "questions.jsonl")}
    with _ground("acme", names, _acme_programs(asked), tuqa, progress) as found:
        yield found


def _acme_programs(asked: dict[str, str]) -> list[Origin]:
    path = Path(str(files(__package__).joinpath("acme_programs.jsonl")))
    return [
        Origin(record.text("id"), record.text("query"), asked.get(record.text("id"), ""))
        for record in packs.records(path)
    ]


@contextmanager
def metaqa(
    tuqa: TrustUQA, pack: Path, seed: int, progress: Progress
) -> Iterator[tuple[Ground, Outline]]:
    """Some of MetaQA's recorded queries, with what its graph itself says of relations.

    Raises:
        UsageError, DataError, DatabaseError
    """
    benchmark = BENCHMARKS["metaqa"]
    folder = replay.folder_of(benchmark, pack)
    dataset = replay.ready(
        tuqa, benchmark, folder, "eval-mutations-metaqa", embeddings=False, progress=progress
    )
    by_group: dict[str, list[Origin]] = {}
    for case in benchmark.prepare(folder, None).cases:
        origin = Origin(case.id, case.query, case.question, case.labels)
        by_group.setdefault(case.group, []).append(origin)
    chance = random.Random(seed)  # noqa: S311 # no secret
    origins = [
        each
        for group in sorted(by_group)
        for each in chance.sample(by_group[group], min(QUESTIONS, len(by_group[group])))
    ]
    with _ground("metaqa", {"inferred": dataset.name}, origins, tuqa, progress) as found:
        yield found


@contextmanager
def own(
    tuqa: TrustUQA, dataset: str, programs: Path, progress: Progress
) -> Iterator[tuple[Ground, Outline]]:
    """The right queries in a file of JSON lines, over a dataset that is there.

    A line has a ``query``, and may have an ``id`` and its ``question``.

    Raises:
        UsageError, DataError, DatabaseError
    """
    origins = [
        Origin(
            record.optional("id") or record.place,
            record.text("query"),
            record.optional("question") or "",
        )
        for record in packs.records(programs)
    ]
    with _ground(dataset, {"check": dataset}, origins, tuqa, progress) as found:
        yield found


@contextmanager
def _ground(
    name: str,
    vocabularies: dict[str, str],
    origins: Sequence[Origin],
    tuqa: TrustUQA,
    progress: Progress,
) -> Iterator[tuple[Ground, Outline]]:
    """A ground on the first of the datasets, with instances of it, which are dropped afterwards."""
    data = next(iter(vocabularies.values()))
    with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
        tuqa.export(data, Path(folder) / "data", progress)
        found = outline(read_graph(Path(folder) / "data"))
        small = len(found.graph.facts) <= SMALL and found.graph.plain
        drawn = [f"{data}-instance-{n}" for n in range(1, INSTANCES + 1) if small]
        try:
            for seed, dataset in enumerate(drawn):
                write_graph(instance(found, seed), Path(folder) / dataset)
                tuqa.load(
                    "exported", Path(folder) / dataset, dataset=dataset, mode="replace",
                    embeddings=False, progress=progress,
                )  # fmt: skip
            yield Ground(name, data, vocabularies, tuple(drawn), tuple(origins)), found
        finally:
            there = {each.name for each in tuqa.datasets()}
            for dataset in drawn:
                if dataset in there:
                    tuqa.drop(dataset)
