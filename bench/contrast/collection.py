"""Questions of all categories, spread evenly, without repeats."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from . import (
    direction,
    flags,
    groups,
    invariance,
    missing,
    negation,
    periods,
    quantifiers,
    scales,
    tenures,
    unanswerable,
)
from .lexicon import Lexicon
from .model import Graph, Question, Table

Maker = Callable[[Lexicon, Random], list[Question]]
CATEGORIES: dict[str, tuple[Maker, ...]] = {
    "direction": direction.MAKERS,
    "negation": negation.MAKERS,
    "quantifiers": quantifiers.MAKERS,
    "time": tuple(periods.MAKERS) + tuple(tenures.MAKERS),
    "scale": scales.MAKERS,
    "groups": groups.MAKERS,
    "flags": flags.MAKERS,
    "missing": missing.MAKERS,
    "unanswerable": unanswerable.MAKERS,
    "invariance": invariance.MAKERS,
}
PER_DATA = 8  # at most so many questions of one set of data
PER_GROUP = 4  # and of one group
PATIENCE = 150  # makers without a new question before a category counts as used up


def units_of(bundle: list[Question], rng: Random) -> list[list[Question]]:
    """Single questions, or pairs of a question and its changed form.

    Groups come one after the other, those of several meanings first, and in each group first one
    question of each meaning, so that the first few questions contrast with each other.
    """
    groups: dict[str, list[list[Question]]] = {}
    for q in rng.sample(bundle, len(bundle)):
        if q.partner is None:
            groups.setdefault(q.group, []).append([q] + [p for p in bundle if p.partner is q])
    units = []
    contrasting = sorted(
        groups.values(), key=lambda group: len({unit[0].meaning for unit in group}) == 1
    )
    for group in contrasting:
        asked: Counter[str] = Counter()
        ranked = []
        for i, unit in enumerate(group):
            ranked.append((asked[unit[0].meaning], i, unit))
            asked[unit[0].meaning] += 1
        units += [unit for _, _, unit in sorted(ranked, key=lambda item: item[:2])[:PER_GROUP]]
    return units


def questions_of(category: str, words: Lexicon, seed: int, number: int) -> list[Question]:
    """New questions of one category; fewer if the makers have no more."""
    rng = Random(f"{seed} {words.split} {category}")
    makers = CATEGORIES[category]
    found: list[Question] = []
    texts: set[str] = set()
    idle = turn = 0
    while len(found) < number and idle < PATIENCE:
        bundle = makers[turn % len(makers)](words, rng)
        turn += 1
        taken = 0
        for unit in units_of(bundle, rng):
            if (
                taken + len(unit) > PER_DATA
                or len(found) + len(unit) > number
                or unit[0].text in texts
            ):
                continue
            texts.add(unit[0].text)
            found += unit
            taken += len(unit)
        idle = 0 if taken else idle + 1
    return found


def collection(split: str, seed: int, limit: int) -> list[Question]:
    """Questions of all categories, as many of each as the limit allows."""
    words = Lexicon(split)
    shares = [
        limit // len(CATEGORIES) + (i < limit % len(CATEGORIES)) for i in range(len(CATEGORIES))
    ]
    return [
        q
        for category, share in zip(CATEGORIES, shares, strict=False)
        for q in questions_of(category, words, seed, share)
    ]


def identified(questions: list[Question]) -> list[tuple[str, str, Question]]:
    """Each question with its id and the id of its data."""
    data_ids: dict[int, str] = {}
    counts: Counter[str] = Counter()
    rows = []
    for q in questions:
        key = id(q.data)
        if key not in data_ids:
            data_ids[key] = f"{q.data.name}-{len(data_ids) + 1:04d}".replace(" ", "_")
        counts[q.category] += 1
        rows.append((f"{q.category}-{counts[q.category]:05d}", data_ids[key], q))
    return rows


def entry(name: str, data: str, q: Question, ids: dict[int, str]) -> dict[str, Any]:
    return {
        "id": name,
        "data": data,
        "kind": q.data.kind,
        "category": q.category,
        "question": q.text,
        "answers": q.answers,
        "also": q.also,
        "answerable": q.answerable,
        "pair": ids[id(q.partner)] if q.partner else None,
    }


def write(questions: list[Question], folder: Path) -> None:
    """The data files, `questions.jsonl`, and what the other readings would answer in `contrasts.jsonl`."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    rows = identified(questions)
    ids = {id(q): name for name, _, q in rows}
    written: dict[str, Table | Graph] = {}
    numbers: dict[tuple[str, str], int] = {}
    with (
        (folder / "questions.jsonl").open("w", encoding="utf-8") as out,
        (folder / "contrasts.jsonl").open("w", encoding="utf-8") as contrasts,
    ):
        for name, data, q in rows:
            if data not in written:
                written[data] = q.data
                (folder / "data" / f"{data}.{q.data.suffix}").write_text(
                    q.data.text(), encoding="utf-8"
                )
            out.write(json.dumps(entry(name, data, q, ids), ensure_ascii=False) + "\n")
            contrasts.write(
                json.dumps(
                    {
                        "id": name,
                        "group": numbers.setdefault((data, q.group), len(numbers) + 1),
                        "meaning": q.meaning,
                        "wrong": q.wrong,
                    },
                    ensure_ascii=False,
                )
                + "\n"
            )
