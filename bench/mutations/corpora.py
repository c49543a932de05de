"""The corpora of a measurement: correct queries of ACME, MetaQA or a file, and the data that they query.

Small data also gets *instances*: datasets of the same kind with other facts. Further queries are made of the
correct ones: with a condition, with another constant, and questions whose answer is really empty.
"""

from __future__ import annotations

import csv
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from random import Random

from bench.mutations.data_profile import (
    TYPE,
    DataProfile,
    Graph,
    RelationProfile,
    Triple,
    profile_graph,
    read_graph,
)
from bench.mutations.operators import CorrectQuery, sample_names, write_readable
from bench.mutations.sites import call_sites, literal_texts, make_argument, make_literal
from trustuqa_neo4j.client import TrustUQA
from trustuqa_neo4j.evaluation import packs, runner
from trustuqa_neo4j.evaluation.registry import BENCHMARKS
from trustuqa_neo4j.export.manifest import (
    FACT_COLUMNS,
    LINE_COLUMN,
    MANIFEST_FILE,
    NAME_COLUMNS,
    ExportedSource,
    Manifest,
)
from trustuqa_neo4j.language.ast import Literal, Query
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.printer import quote_name
from trustuqa_neo4j.loading.request import Progress
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.values import DEFAULT_VALUE_OPTIONS

_ATTEMPTS = 400


@dataclass(frozen=True)
class Corpus:
    """Correct queries and their datasets.

    Queries run on ``data`` and on ``instances``. ``vocabularies`` maps the name of a check to a dataset with
    the same data and the schema knowledge of that check.
    """

    name: str
    data: str
    vocabularies: dict[str, str]
    instances: tuple[str, ...]
    origins: tuple[CorrectQuery, ...]


def empty_questions(profile: DataProfile, seed: int, limit: int) -> Iterator[str]:
    """Queries for nodes with two values that exist, but never together."""
    rng = Random(f"{seed}/empties")  # no secret
    heads_by_tail = _heads_by_tail(profile)
    names = sorted(
        name for name in profile.relations if normalize_name(name) != TYPE and heads_by_tail[name]
    )
    count = 0
    for _ in range(_ATTEMPTS):
        if count == limit or len(names) < 2:
            return
        left, right = (profile.relations[name] for name in rng.sample(names, 2))
        if not left.heads & right.heads:
            continue
        first = rng.choice(sorted(heads_by_tail[left.name]))
        second = rng.choice(sorted(heads_by_tail[right.name]))
        if heads_by_tail[left.name][first] & heads_by_tail[right.name][second]:
            continue
        name_step = _name_step(left, profile)
        if name_step is not None:
            count += 1
            is_one_search = rng.random() < 0.5
            yield _join((left, first), (right, second), profile, is_one_search) + name_step


def _name_step(relation: RelationProfile, profile: DataProfile) -> str | None:
    """A step that gets a value of the heads, if they have no name; None if they have no value."""
    if all(profile.graph.name(head) is not None for head in relation.heads):
        return ""
    for name in sorted(profile.relations):
        other = profile.relations[name]
        is_value = not other.leads_to_nodes and normalize_name(name) != TYPE
        if is_value and other is not relation and other.heads >= relation.heads:
            return f"\nQuery4: get_information(head_entity=output_of_query3, relation={quote_name(name)})"
    return None


def _heads_by_tail(profile: DataProfile) -> dict[str, dict[str, set[str]]]:
    """Relation → tail with a name → its heads."""
    heads: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for head, name, tail in profile.graph.facts:
        if profile.graph.name(tail) is not None:
            heads[name][tail].add(head)
    return heads


def _join(
    left: tuple[RelationProfile, str],
    right: tuple[RelationProfile, str],
    profile: DataProfile,
    is_one_search: bool,
) -> str:
    (r, t), (k, v) = [
        (quote_name(relation.name), quote_name(profile.graph.name(tail) or tail))
        for relation, tail in (left, right)
    ]
    if is_one_search:
        return f"Query3: get_information(relation={r}, tail_entity={t}, key={k}, value={v})"
    return (
        f"Query1: get_information(relation={r}, tail_entity={t})\n"
        f"Query2: get_information(relation={k}, tail_entity={v})\n"
        "Query3: set_intersection(set1=output_of_query1, set2=output_of_query2)"
    )


def replace_constants(origin: CorrectQuery, profile: DataProfile, seed: int) -> Iterator[str]:
    """The query with another value of the same relation; its answer may be empty."""
    query = parse_query(origin.query)
    if not isinstance(query, Query):
        return
    rng = Random(f"{seed}/{origin.id}/constants")  # no secret
    for call_site in call_sites(query, "get_information"):
        for tail, by in (("tail_entity", "relation"), ("value", "key")):
            names = call_site.literals_of(by)
            relation = profile.relation(names[0]) if len(names) == 1 else None
            if relation is None or normalize_name(relation.name) == TYPE:
                continue
            for argument in call_site.arguments_of(tail):
                if isinstance(argument.value, Literal) and argument.operator == "=":
                    tails = (profile.graph.name(key) for key in relation.tails)
                    for name in sample_names((t for t in tails if t is not None), rng, 1):
                        new = replace(argument, value=make_literal(name))
                        text = write_readable(call_site.replace_argument(argument, new))
                        if text is not None:
                            yield text


# Instances: other data of the same kind, on which queries with the same answer here may differ.
#
# Each node without a name is doubled and gets other tails of its relations; some values are new. Relations
# with one tail keep one tail, inverse relations stay inverse, and values that all members of a class have
# stay complete. So no instance shows a difference that data of this kind could never show.

COPIES = 2

_NEW_VALUES = 0.5
"""Share of numbers and dates that are new."""


def draw_instance(profile: DataProfile, seed: int) -> Graph:
    """Generate an instance of the data."""
    return _InstanceGenerator(profile, Random(f"{seed}/instance")).generate()  # no secret


@dataclass
class _InstanceGenerator:
    profile: DataProfile
    rng: Random
    copies: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)

    def generate(self) -> Graph:
        graph = self.profile.graph
        self.names.update(graph.names)
        for key in dict.fromkeys(end for head, _, tail in graph.facts for end in (head, tail)):
            self.copies[key] = [key]
            if graph.name(key) is None:
                self.copies[key] += [f"{key}~{number}" for number in range(1, COPIES)]
                self.names.update(dict.fromkeys(self.copies[key]))
        drawn: dict[str, list[Triple]] = {}
        by_relation: dict[str, list[Triple]] = defaultdict(list)
        for fact in graph.facts:
            by_relation[fact[1]].append(fact)
        for name in sorted(by_relation, key=lambda name: self._tails_per_head(by_relation[name])):
            inverse = self.profile.inverses.get(name)
            if inverse in drawn and inverse != name:
                drawn[name] = [(tail, name, head) for head, _, tail in drawn[inverse]]
            else:
                drawn[name] = list(
                    self._draw_facts(self.profile.relations[name], by_relation[name])
                )
        facts = dict.fromkeys(fact for name in by_relation for fact in drawn[name])
        return Graph(tuple(facts), self.names)

    def _tails_per_head(self, facts: list[Triple]) -> float:
        """A relation with few tails per head is drawn first; its inverse follows from it."""
        return len(facts) / len({head for head, _, _ in facts})

    def _draw_facts(self, relation: RelationProfile, facts: list[Triple]) -> Iterator[Triple]:
        tails = [tail for _, _, tail in facts]
        for head, name, tail in facts:
            for copy in self.copies[head]:
                if normalize_name(name) == TYPE:
                    yield (copy, name, tail)
                elif relation.leads_to_nodes:
                    yield (copy, name, self.rng.choice(self.copies[self.rng.choice(tails)]))
                else:
                    yield (copy, name, self._draw_value(relation, self.rng.choice(tails)))

    def _draw_value(self, relation: RelationProfile, key: str) -> str:
        text = self.profile.graph.name(key) or key
        if relation.is_text or self.rng.random() > _NEW_VALUES:
            return key
        if relation.is_dated:
            try:
                day = date.fromisoformat(text)
            except ValueError:
                return key
            return (day + timedelta(days=self.rng.randint(1, 400))).isoformat()
        digits = text.replace(".", "", 1)
        if not digits.isdigit():
            return key
        increase = self.rng.randint(1, 97)
        return str(int(text) + increase) if digits == text else f"{float(text) + increase:.2f}"


def write_graph(graph: Graph, folder: Path) -> None:
    """Write facts as ``tuqa export`` does, for the loader ``exported``."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "facts.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow((*FACT_COLUMNS, LINE_COLUMN))
        rows.writerows((*fact, line) for line, fact in enumerate(graph.facts, 2))
    ends = dict.fromkeys(end for head, _, tail in graph.facts for end in (head, tail))
    with (folder / "names.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(NAME_COLUMNS)
        for key in ends:
            if key in graph.names:
                name = graph.names[key]
                rows.writerow((key, "unnamed" if name is None else "named", name or "", ""))
    source = ExportedSource(
        "facts", "kg", ("facts",), (), "facts", "facts.csv", rows=len(graph.facts)
    )
    manifest = Manifest(
        "instance", DEFAULT_VALUE_OPTIONS, len(ends), len(graph.facts), "names.csv", (source,)
    )
    (folder / MANIFEST_FILE).write_text(manifest.to_json(), encoding="utf-8")


# Correct queries with a condition: a query for all members of a class is restricted to some of them.
#
# Programs for questions about all members contain no constant, and could show no fault in one.

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def narrow_query(
    origin: CorrectQuery, profile: DataProfile, seed: int = 0
) -> Iterator[CorrectQuery]:
    """The query restricted to members with a value, and to members with at least this value."""
    query = parse_query(origin.query)
    if not isinstance(query, Query):
        return
    rng = Random(f"{seed}/{origin.id}/narrowed")  # no secret
    for call_site in call_sites(query, "get_information"):
        names = [literal_texts(a.value) for a in call_site.arguments_of("relation")]
        classes = [literal_texts(a.value) for a in call_site.arguments_of("tail_entity")]
        is_type = [normalize_name((texts or [""])[0]) for texts in names] == [TYPE]
        if len(call_site.call.arguments) != 2 or not is_type:
            continue
        members = profile.classes.get((classes[0] or [""])[0], frozenset()) if classes else ()
        relations = [r for r in profile.relations.values() if _describes_all(r, members)]
        if not relations:
            return
        relation = rng.choice(sorted(relations, key=lambda relation: relation.name))
        key = rng.choice(sorted(relation.tails))
        value = profile.graph.name(key) or key
        for name, operator in (("equal", "="), ("from", ">=")):
            if operator == "=" or not relation.is_text:
                condition = (
                    make_argument("key", make_literal(relation.name)),
                    make_argument("value", make_literal(value), operator),
                )
                arguments = (*call_site.call.arguments, *condition)
                text = write_readable(call_site.put(replace(call_site.call, arguments=arguments)))
                if text is not None:
                    question = _add_condition(origin.question, relation, value, name)
                    yield CorrectQuery(f"{origin.id} ({name})", text, question)
        return


def _add_condition(question: str, relation: RelationProfile, value: str, how: str) -> str:
    """Add the condition to a question; no question stays none."""
    if not question:
        return ""
    name = _CAPITAL.sub(" ", relation.name).casefold()
    comparison = "is" if how == "equal" else "is at least"
    return f"{question.rstrip(' .?')}, where the {name} {comparison} {value}?"


def _describes_all(relation: RelationProfile, members: object) -> bool:
    """Whether all members of a class, and no other nodes, have a value of the relation."""
    return (
        not relation.leads_to_nodes
        and normalize_name(relation.name) != TYPE
        and isinstance(members, frozenset)
        and bool(members)
        and members <= relation.heads
        and relation.heads <= members
    )


INSTANCES = 3

SMALL = 20_000
"""Data with at most so many facts gets instances."""

QUESTIONS = 15
"""Recorded queries of MetaQA for each number of hops."""


@contextmanager
def open_acme(
    tuqa: TrustUQA, pack: Path, progress: Progress
) -> Iterator[tuple[Corpus, DataProfile]]:
    """The programs for ACME over its mapped graph, with and without the ontology.

    Raises:
        UsageError, DataError, DatabaseError
    """
    folder = pack / "acme"
    ontology = folder / "ontology" / "insurance.ttl"
    names = {"ontology": "eval-mutations-acme", "inferred": "eval-mutations-acme-inferred"}
    inputs = {"ontology": (folder / "data", ontology), "inferred": (folder / "data",)}
    loaded = {dataset.name for dataset in tuqa.datasets() if dataset.complete}
    for check, name in names.items():
        if name not in loaded:
            tuqa.load("r2rml", *inputs[check], dataset=name, embeddings=False, progress=progress)
    asked = {
        r.text("id"): r.text("question") for r in packs.read_records(folder / "questions.jsonl")
    }
    with _open_corpus("acme", names, _acme_programs(asked), tuqa, progress) as found:
        yield found


def _acme_programs(questions: dict[str, str]) -> list[CorrectQuery]:
    path = Path(str(files("trustuqa_neo4j.evaluation").joinpath("acme_programs.jsonl")))
    return [
        CorrectQuery(record.text("id"), record.text("query"), questions.get(record.text("id"), ""))
        for record in packs.read_records(path)
    ]


@contextmanager
def open_metaqa(
    tuqa: TrustUQA, pack: Path, seed: int, progress: Progress
) -> Iterator[tuple[Corpus, DataProfile]]:
    """Some recorded queries of MetaQA, with schema knowledge from its graph.

    Raises:
        UsageError, DataError, DatabaseError
    """
    benchmark = BENCHMARKS["metaqa"]
    folder = runner.find_pack(benchmark, pack)
    dataset = runner.load_dataset(
        tuqa, benchmark, folder, "eval-mutations-metaqa", embeddings=False, progress=progress
    )
    by_group: dict[str, list[CorrectQuery]] = {}
    for case in benchmark.prepare(folder, None).cases:
        origin = CorrectQuery(case.id, case.query, case.question, case.labels)
        by_group.setdefault(case.group, []).append(origin)
    rng = random.Random(seed)  # no secret
    origins = [
        query
        for group in sorted(by_group)
        for query in rng.sample(by_group[group], min(QUESTIONS, len(by_group[group])))
    ]
    with _open_corpus("metaqa", {"inferred": dataset.name}, origins, tuqa, progress) as corpus:
        yield corpus


@contextmanager
def open_file(
    tuqa: TrustUQA, dataset: str, programs: Path, progress: Progress
) -> Iterator[tuple[Corpus, DataProfile]]:
    """The correct queries in a file of JSON lines, over a loaded dataset.

    A line has a ``query``, and may have an ``id`` and its ``question``.

    Raises:
        UsageError, DataError, DatabaseError
    """
    origins = [
        CorrectQuery(
            record.optional("id") or record.place,
            record.text("query"),
            record.optional("question") or "",
        )
        for record in packs.read_records(programs)
    ]
    with _open_corpus(dataset, {"check": dataset}, origins, tuqa, progress) as corpus:
        yield corpus


@contextmanager
def _open_corpus(
    name: str,
    vocabularies: dict[str, str],
    origins: Sequence[CorrectQuery],
    tuqa: TrustUQA,
    progress: Progress,
) -> Iterator[tuple[Corpus, DataProfile]]:
    """A corpus over the first of the datasets; its instances are dropped at the end."""
    data = next(iter(vocabularies.values()))
    with tempfile.TemporaryDirectory(prefix="tuqa-") as folder:
        tuqa.export(data, Path(folder) / "data", progress)
        profile = profile_graph(read_graph(Path(folder) / "data"))
        is_small = len(profile.graph.facts) <= SMALL and profile.graph.plain
        instances = [f"{data}-instance-{n}" for n in range(1, INSTANCES + 1) if is_small]
        try:
            for seed, dataset in enumerate(instances):
                write_graph(draw_instance(profile, seed), Path(folder) / dataset)
                tuqa.load(
                    "exported", Path(folder) / dataset, dataset=dataset, mode="replace",
                    embeddings=False, progress=progress,
                )  # fmt: skip
            yield Corpus(name, data, vocabularies, tuple(instances), tuple(origins)), profile
        finally:
            loaded = {dataset.name for dataset in tuqa.datasets()}
            for dataset in instances:
                if dataset in loaded:
                    tuqa.drop(dataset)
