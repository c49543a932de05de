"""Questions over graphs with labelled answers, from the data packs.

A question is of the ``fit``, ``development`` or ``test`` side. MetaQA has its own sides; of the other packs a
hash of the question decides. Questions over some graphs of our own only calibrate, so that the probabilities
are those of graphs that no rule was written for; those over others are ``unseen``: they only measure.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from trustuqa_neo4j.evaluation import metrics, packs, temporal, webqsp
from trustuqa_neo4j.evaluation.benchmark import CaseSet
from trustuqa_neo4j.evaluation.splits import choose_side
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.semantic_parser.graph_parser import parse_for_graph
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.ranker import RankerWeights
from trustuqa_neo4j.semantic_parser.reading import ParsedQuestion
from trustuqa_neo4j.semantic_parser.row_plans import Denoted

from .memory_graph import MemoryGraph, load_graph

SIDES = ("fit", "development", "test")
UNSEEN = "unseen"
_MIN_MISSPELT = 6  # letters of a name
_MIN_F1 = 0.3  # of a right answer over a graph that is not the one of the labels
_SIMPLE = ("simple_time", "simple_entity")

_ROOM = Path(__file__).parent
_EXAMPLES = _ROOM.parents[1] / "docs" / "example"
_OWN_QUESTIONS = _ROOM / "graph_questions.jsonl"
_OWN_GRAPHS = {
    "graph_facts.tsv": ("kg", [_ROOM / "graph_facts.tsv"]),
    "university.tsv": ("kg", [_ROOM / "graphs" / "university.tsv"]),
    "gallery.tsv": ("kg", [_ROOM / "graphs" / "gallery.tsv"]),
    "history.tsv": ("temporal-kg", [_ROOM / "graphs" / "history.tsv"]),
    "apollo.tsv": ("kg", [_EXAMPLES / "apollo.tsv"]),
    "service.tsv": ("temporal-kg", [_EXAMPLES / "service.tsv"]),
    "brewery.tsv": ("kg", [_ROOM / "graphs" / "brewery.tsv"]),
    "orchestra.tsv": ("temporal-kg", [_ROOM / "graphs" / "orchestra.tsv"]),
    "shipping.tsv": ("kg", [_ROOM / "graphs" / "shipping.tsv"]),
    "football.tsv": ("temporal-kg", [_ROOM / "graphs" / "football.tsv"]),
    "hospital.tsv": ("kg", [_ROOM / "graphs" / "hospital.tsv"]),
    "dynasty.tsv": ("temporal-kg", [_ROOM / "graphs" / "dynasty.tsv"]),
    "hiking.tsv": ("kg", [_ROOM / "graphs" / "hiking.tsv"]),
    "technology.tsv": ("temporal-kg", [_ROOM / "graphs" / "technology.tsv"]),
    "garden.tsv": ("kg", [_ROOM / "graphs" / "garden.tsv"]),
    "press.tsv": ("temporal-kg", [_ROOM / "graphs" / "press.tsv"]),
    "lighthouses.tsv": ("kg", [_ROOM / "graphs" / "lighthouses.tsv"]),
    "broadcasting.tsv": ("temporal-kg", [_ROOM / "graphs" / "broadcasting.tsv"]),
    "reserve.tsv": ("kg", [_ROOM / "graphs" / "reserve.tsv"]),
    "radio.tsv": ("temporal-kg", [_ROOM / "graphs" / "radio.tsv"]),
    "software.tsv": ("kg", [_ROOM / "graphs" / "software.tsv"]),
    "careers.tsv": ("temporal-kg", [_ROOM / "graphs" / "careers.tsv"]),
    "books.tsv": ("kg", [_ROOM / "graphs" / "books.tsv"]),
    "federation.tsv": ("temporal-kg", [_ROOM / "graphs" / "federation.tsv"]),
    "geography.tsv": ("kg", [_ROOM / "graphs" / "geography.tsv"]),
    "driftball.tsv": ("temporal-kg", [_ROOM / "graphs" / "driftball.tsv"]),
    "music.tsv": ("kg", [_ROOM / "graphs" / "music.tsv"]),
    "streets.tsv": ("temporal-kg", [_ROOM / "graphs" / "streets.tsv"]),
    "museum.tsv": ("kg", [_ROOM / "graphs" / "museum.tsv"]),
    "airlines.tsv": ("temporal-kg", [_ROOM / "graphs" / "airlines.tsv"]),
    "bells.tsv": ("kg", [_ROOM / "graphs" / "bells.tsv"]),
    "orchards.tsv": ("temporal-kg", [_ROOM / "graphs" / "orchards.tsv"]),
    "family.tsv": ("kg", [_ROOM / "graphs" / "family.tsv"]),
    "railway.tsv": ("temporal-kg", [_ROOM / "graphs" / "railway.tsv"]),
    "boardgames.tsv": ("kg", [_ROOM / "graphs" / "boardgames.tsv"]),
    "rail_firms.tsv": ("temporal-kg", [_ROOM / "graphs" / "rail_firms.tsv"]),
    "restaurants.tsv": ("kg", [_ROOM / "graphs" / "restaurants.tsv"]),
    "village.tsv": ("temporal-kg", [_ROOM / "graphs" / "village.tsv"]),
    "services.tsv": ("kg", [_ROOM / "graphs" / "services.tsv"]),
    "theatre.tsv": ("temporal-kg", [_ROOM / "graphs" / "theatre.tsv"]),
    "expeditions.tsv": ("kg", [_ROOM / "graphs" / "expeditions.tsv"]),
    "exhibitions.tsv": ("temporal-kg", [_ROOM / "graphs" / "exhibitions.tsv"]),
    "staff.tsv": ("kg", [_ROOM / "graphs" / "staff.tsv"]),
    "vessels.tsv": ("temporal-kg", [_ROOM / "graphs" / "vessels.tsv"]),
    "plants.tsv": ("kg", [_ROOM / "graphs" / "plants.tsv"]),
    "professors.tsv": ("temporal-kg", [_ROOM / "graphs" / "professors.tsv"]),
    "video_games.tsv": ("kg", [_ROOM / "graphs" / "video_games.tsv"]),
    "residences.tsv": ("temporal-kg", [_ROOM / "graphs" / "residences.tsv"]),
    "libraries.tsv": ("kg", [_ROOM / "graphs" / "libraries.tsv"]),
    "holdings.tsv": ("temporal-kg", [_ROOM / "graphs" / "holdings.tsv"]),
    "hillforts.tsv": ("kg", [_ROOM / "graphs" / "hillforts.tsv"]),
    "gazettes.tsv": ("temporal-kg", [_ROOM / "graphs" / "gazettes.tsv"]),
    "cheese.tsv": ("kg", [_ROOM / "graphs" / "cheese.tsv"]),
    "conductors.tsv": ("temporal-kg", [_ROOM / "graphs" / "conductors.tsv"]),
    "public_services.tsv": ("kg", [_ROOM / "graphs" / "public_services.tsv"]),
    "navy.tsv": ("temporal-kg", [_ROOM / "graphs" / "navy.tsv"]),
}
_CALIBRATION_GRAPHS = (
    "hiking.tsv", "technology.tsv", "expeditions.tsv", "exhibitions.tsv", "staff.tsv", "vessels.tsv",
)  # fmt: skip
_UNSEEN_GRAPHS = (
    "brewery.tsv", "orchestra.tsv", "garden.tsv", "press.tsv", "reserve.tsv", "radio.tsv",
    "geography.tsv", "driftball.tsv", "hillforts.tsv", "gazettes.tsv", "cheese.tsv", "conductors.tsv",
    "public_services.tsv", "navy.tsv",
)  # fmt: skip

Judge = Callable[[Sequence[Denoted]], bool]


@dataclass(frozen=True)
class GraphQuestion:
    """``is_right`` judges an answer; ``kind`` is the data set with the kind of question."""

    text: str
    graph: MemoryGraph
    kind: str
    is_right: Judge
    is_answerable: bool = True

    @property
    def headers(self) -> tuple[str, ...]:
        return tuple(self.graph.relations)

    def parse(self, text: str, weights: RankerWeights) -> ParsedQuestion:
        return parse_for_graph(read_question(text), self.graph, weights=weights)


def read_own_graph_questions(sides: Sequence[str] = SIDES[:2]) -> Iterator[GraphQuestion]:
    """Yield questions of our own, which need no pack; without ``sides``, those fitted or calibrated on."""
    for side in sides:
        yield from _read_own(side)


def read_graph_questions(folder: Path, side: str, limit: int, seed: str) -> Iterator[GraphQuestion]:
    """Yield all questions of our own, and up to ``limit`` of each group of the packs."""
    yield from read_own_graph_questions((side,))
    yield from read_pack_graph_questions(folder, side, limit, seed)


def read_pack_graph_questions(
    folder: Path, side: str, limit: int, seed: str
) -> Iterator[GraphQuestion]:
    for reader in (_read_metaqa, _read_webqsp, _read_cronquestions, _read_yago):
        by_group: dict[str, list[GraphQuestion]] = {}
        for question in reader(folder, side):
            by_group.setdefault(question.kind, []).append(question)
        for questions in by_group.values():
            random.Random(seed).shuffle(questions)
            yield from questions[:limit]


def _read_own(side: str) -> Iterator[GraphQuestion]:
    """Counts, comparisons, yes or no and the like, which the packs do not ask."""
    graphs: dict[str, MemoryGraph] = {}
    for record in packs.read_records(_OWN_QUESTIONS):
        file, text = record.text("graph"), record.text("question")
        if side == _choose_own_side(file, text):
            if file not in graphs:
                graphs[file] = load_graph(*_OWN_GRAPHS[file])
            labels = frozenset(record.texts("answers"))
            judge = partial(_equals, labels)
            yield GraphQuestion(text, graphs[file], "own", judge, bool(labels))


def _choose_own_side(file: str, text: str) -> str:
    if file in _UNSEEN_GRAPHS:
        return UNSEEN
    return "development" if file in _CALIBRATION_GRAPHS else choose_side(text)


def _read_metaqa(folder: Path, side: str) -> Iterator[GraphQuestion]:
    graph = load_graph("metaqa", [folder / "metaqa"])
    split = "test" if side == "test" else "dev"
    for hops in (1, 2, 3):
        path = packs.find_file(folder / "metaqa", f"questions.{hops}hop.{split}.jsonl")
        for record in packs.read_records(path):
            text = record.text("question")
            is_fitted = sha256(text.encode()).digest()[1] % 4 > 0
            if side == "test" or is_fitted == (side == "fit"):
                topic, labels = record.text("topic"), frozenset(record.texts("answers"))
                plain = text.replace("[", "").replace("]", "")
                judge = partial(_equals_but_topic, labels, topic)
                yield GraphQuestion(plain, graph, f"metaqa {hops} hop", judge)
                if hops == 1 and len(text) % 8 == 0 and len(topic) >= _MIN_MISSPELT:
                    misspelt = plain.replace(topic, _misspell(topic))
                    yield GraphQuestion(misspelt, graph, "metaqa misspelt", judge)


def _misspell(name: str) -> str:
    """Leave out, double or swap letters in the middle of the longest word."""
    word = max(name.split(), key=len)
    place = len(word) // 2
    change = len(name) % 3
    before, after = word[:place], word[place:]
    wrong = before + after[1:] if change == 0 else before + after[0] + after
    if change == 2:
        wrong = before[:-1] + after[0] + before[-1] + after[1:]
    return name.replace(word, wrong)


def _equals_but_topic(labels: frozenset[str], topic: str, members: Sequence[Denoted]) -> bool:
    """The labels never return to the topic; a right answer may."""
    return frozenset(map(metrics.value_text, members)) - {topic} == labels - {topic}


def _read_webqsp(folder: Path, side: str) -> Iterator[GraphQuestion]:
    pack = folder / "webqsp"
    graph = load_graph("webqsp", [pack])
    groups = webqsp.read_name_groups([pack / "names.tsv", pack / "aliases.tsv"])
    for case in webqsp.prepare(pack, None).cases:
        if choose_side(case.question) == side:
            judge = partial(_overlaps, groups, case.labels)
            yield GraphQuestion(case.question, graph, "webqsp", judge)


def _overlaps(groups: webqsp.NameGroups, labels: Sequence[str], members: Sequence[Denoted]) -> bool:
    label_names = {normalize_name(label) for label in labels}
    normalized = [normalize_name(metrics.value_text(member)) for member in members]
    names = [groups.get(name, frozenset()) | {name} for name in normalized]
    return metrics.f1_score(label_names, names) >= _MIN_F1


def _read_cronquestions(folder: Path, side: str) -> Iterator[GraphQuestion]:
    pack = folder / "cronquestions"
    graph = load_graph("cronquestions", [packs.find_file(pack, "kg.tsv")])
    for record in packs.read_records(pack / "questions.jsonl"):
        answers = record.texts("answers")
        if answers and choose_side(record.text("question")) == side:
            kind = "simple" if record.text("type") in _SIMPLE else "complex"
            judge = partial(_hits_one, frozenset(answers))
            yield GraphQuestion(record.text("question"), graph, f"cronquestions {kind}", judge)


def _hits_one(labels: frozenset[str], members: Sequence[Denoted]) -> bool:
    names = [{metrics.value_text(member)} for member in members]
    return metrics.contains_label_among_few(labels, names)


def _read_yago(folder: Path, side: str) -> Iterator[GraphQuestion]:
    pack = folder / "yago11k"
    graph = load_graph("temporal-kg", [packs.find_file(pack, "kg.tsv")])
    prepared: CaseSet = temporal.prepare_yago11k(pack, None)
    for case in prepared.cases:
        if choose_side(case.question) == side:
            labels = frozenset(case.labels)
            yield GraphQuestion(case.question, graph, "yago11k", partial(_equals, labels))


def _equals(labels: frozenset[str], members: Sequence[Denoted]) -> bool:
    texts = frozenset(map(metrics.value_text, members))
    return frozenset(map(_strip_years, texts)) == frozenset(map(_strip_years, labels))


def _strip_years(text: str) -> str:
    """*7 years* and *7* both answer *how long*."""
    return text.removesuffix(" years")
