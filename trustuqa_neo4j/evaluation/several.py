"""Benchmarks over several datasets: questions of mixed datasets, and questions that need several of them.

``mixed`` asks the same questions in three settings, as table 8 of the TrustUQA paper: of all datasets of the
database, of their dataset without its table, and of their dataset and table. ``cross`` has questions whose
answer is reached over three sources, with *traps*: names that two sources share by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from ..answer import SUCCESS_OUTCOMES
from ..errors import UsageError
from . import metaqa, packs, temporal, webqsp, wtq
from .benchmark import Benchmark, Case, CaseSet, QuestionSet, Score, ScoredAnswer, Scores
from .metrics import matches_exactly, value_text
from .releases import PACKS, list_files, make_benchmark

QUESTIONS = 100
"""For each dataset, as in the paper."""

_MIXED = (
    make_benchmark("wikisql", PACKS["wikisql"], pack="wikisql"),
    wtq.BENCHMARK,
    metaqa.BENCHMARK,
    webqsp.BENCHMARK,
    temporal.CRONQUESTIONS,
)
_ASKED = tuple(part.untaught for part in _MIXED if part.untaught is not None)
_PARTS = tuple(
    replace(asked, ask=part.ask) if asked.data == part.data else asked
    for asked, part in zip(_ASKED, _MIXED, strict=True)
)
"""``ask`` of a part gives the demonstrations of its data."""
_MIXED_METRICS = ("right", "dataset", "table")


def dataset_name(part: Benchmark) -> str:
    return f"eval-{part.name}"


def ask_mixed(folder: Path) -> QuestionSet:
    cases: list[Case] = []
    scores: dict[str, Score] = {}
    for part in _ASKED:
        prepared = part.ask(folder / part.pack).prepared
        scores[part.name] = prepared.score
        # Only questions of one hop, as in the paper; a hash chooses the same ones each time.
        usable = [case for case in prepared.cases if case.group not in ("2 hops", "3 hops")]
        usable.sort(key=lambda case: sha256(case.question.encode()).digest())
        for case in usable[:QUESTIONS]:
            cases += _settings_of(part, case)
    return QuestionSet(CaseSet(tuple(cases), lambda case, answer: _score(scores, case, answer)))


def _settings_of(part: Benchmark, case: Case) -> Iterator[Case]:
    name, own = part.name, (dataset_name(part),)
    for setting, datasets, source in (
        ("mixed, source unknown", (), None),
        ("alone, source unknown", own, None),
        ("alone, source known", own, case.source),
    ):
        yield replace(
            case, id=f"{name}: {setting}: {case.id}", group=f"{name}: {setting}", tags=(setting,),
            datasets=datasets, source=source, home=(name, case.source),
        )  # fmt: skip


def _score(scores: Mapping[str, Score], case: Case, answer: ScoredAnswer) -> Scores:
    name, table = case.home
    is_right = next(iter(scores[name](case, answer).values())) == 1
    # A refused question reports no dataset; where the setting names it, there is no choice.
    is_own = (f"eval-{name}",) in (case.datasets, answer.datasets)
    is_table = is_own and table in (None, case.source, answer.source)
    return {"right": is_right, "dataset": is_own, "table": is_table}


def _refuse_replay(*_: Path | None) -> CaseSet:
    raise UsageError("mixed questions have no recorded queries", hint="leave --replay out")


MIXED = Benchmark(
    "mixed", ".", "", _MIXED_METRICS, _refuse_replay, ask_mixed,
    parts=_PARTS,
)  # fmt: skip
MIXED = replace(MIXED, untaught=MIXED)


# Questions over three sources.

_SOURCES = {"table": "table.csv", "metaqa": "kb.txt", "temporal-kg": "kg.tsv"}
"""Format → file; each is a dataset."""


def prepare_cross(folder: Path, file: Path | None) -> CaseSet:
    names = tuple(dataset_name(part) for part in CROSS.parts)
    paths = [file] if file else list_files(folder, ("cases.jsonl*",))
    cases = [
        Case(
            str(record.fields.get("id", record.place)),
            record.text("question"),
            record.text("query"),
            record.texts("answers"),
            record.optional("group") or "generated",
            datasets=names,
            traps=record.texts("traps"),
        )
        for path in paths
        for record in packs.read_records(path)
    ]
    return CaseSet(tuple(cases), score_cross)


def ask_cross(folder: Path) -> QuestionSet:
    prepared = prepare_cross(folder, None)
    return QuestionSet(
        replace(prepared, cases=tuple(replace(case, query="") for case in prepared.cases))
    )


def score_cross(case: Case, answer: ScoredAnswer) -> Scores:
    texts = {value_text(value) for value in answer.values}
    is_answered = answer.outcome in SUCCESS_OUTCOMES
    right = is_answered and matches_exactly(set(case.labels), [{text} for text in texts])
    is_false = is_answered and bool(texts & set(case.traps) - set(case.labels))
    return {"right": right, "false join": is_false}


CROSS = Benchmark(
    "cross", "cross", "", ("right", "false join"), prepare_cross, ask_cross,
    parts=tuple(
        Benchmark(f"cross-{kind}", ".", kind, (), prepare_cross, ask_cross, data=(file,))
        for kind, file in _SOURCES.items()
    ),
)  # fmt: skip
CROSS = replace(CROSS, untaught=CROSS)
