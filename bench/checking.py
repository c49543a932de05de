"""Validation of queries, against schema knowledge in memory, without a server.

The queries are recorded queries of MetaQA and WebQSP, the programs for ACME, and correct and wrong queries
against a generated schema of 1,000 classes and 5,000 relations: declared, observed in data, or both. The
times are processor milliseconds of validation without parsing. *first* is the first query, which fills the
caches. Needs TUQA_PACKS, the folder of the data packs.

    make bench TUQA_PACKS=folder
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from time import thread_time

from harness import packs_folder, percentile

from trustuqa_neo4j.evaluation import metaqa, webqsp
from trustuqa_neo4j.language.ast import Problem, Query
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.language.selectors import EXTREMES, MOST
from trustuqa_neo4j.loading.formats import File, ReadOptions, get_loader
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.model.facts import ClassDeclared, Fact, Item, NodeDeclared, RelationDeclared
from trustuqa_neo4j.ontology.join_statistics import CharacteristicSet, JoinStatistics, count_joins
from trustuqa_neo4j.ontology.ontology import Ontology
from trustuqa_neo4j.ontology.schema_knowledge import TYPE, SchemaKnowledge, TailStatistics
from trustuqa_neo4j.planning.operations import Plan
from trustuqa_neo4j.planning.planner import make_plan
from trustuqa_neo4j.validation.context import ValidationContext
from trustuqa_neo4j.validation.query_graph import build_query_graph
from trustuqa_neo4j.validation.validate import check_form, check_schema
from trustuqa_neo4j.values import read_value

CLASSES, RELATIONS = 1_000, 5_000
GOAL, GOAL_GENERATED = "≤ 1 / 5", "≤ 10"


def main() -> None:
    packs = packs_folder()
    print(
        f"{'check, ms':<44} {'queries':>8} {'wrong':>6} {'first':>8} {'p50':>8} {'p95':>8} {'max':>8}  goal"
    )
    folder = packs
    recorded = {"metaqa": metaqa.BENCHMARK, "webqsp": webqsp.BENCHMARK}
    for name, benchmark in recorded.items():
        queries = [case.query for case in benchmark.prepare(folder / name, None).cases]
        knowledge = build_knowledge(read_items(name, folder / name))
        measure(f"{name}, {describe(knowledge)}", queries, knowledge, GOAL)
    lines = resources.files("trustuqa_neo4j.evaluation") / "acme_programs.jsonl"
    programs = [
        json.loads(line)["query"] for line in lines.read_text(encoding="utf-8").splitlines()
    ]
    acme = [
        *sorted((folder / "acme" / "data").iterdir()),
        folder / "acme" / "ontology" / "insurance.ttl",
    ]
    knowledge = build_knowledge(read_items("r2rml", *acme))
    measure(f"acme, {describe(knowledge)}", programs * 20, knowledge, GOAL)
    classes, relations, groups = generate_schema()
    statistics = {relation.name: TailStatistics(1000) for relation in relations} | {
        TYPE: TailStatistics(9)
    }
    declared = SchemaKnowledge(Ontology.from_declarations(classes, relations))
    observed = SchemaKnowledge(Ontology(), count_joins(groups), statistics)
    both = SchemaKnowledge(declared.ontology, observed.joins, statistics)
    for name, knowledge in (("declared", declared), ("observed", observed), ("both", both)):
        for kind, queries in (("right", correct_queries()), ("wrong", wrong_queries())):
            what = f"{CLASSES:,} classes, {RELATIONS:,} relations {name}: {kind}"
            measure(what, queries, without_caches(knowledge), GOAL_GENERATED)


def without_caches(knowledge: SchemaKnowledge) -> SchemaKnowledge:
    """A copy with empty caches."""
    ontology = knowledge.ontology
    joins = JoinStatistics.from_parameters(**knowledge.joins.to_parameters())  # type: ignore[arg-type]
    return SchemaKnowledge(
        Ontology(ontology.classes, ontology.relations), joins, knowledge.relations
    )


def measure(what: str, queries: list[str], knowledge: SchemaKnowledge, goal: str) -> None:
    """Validate every query, as before a run, and print the times."""
    times, wrong = [], 0
    for query in map(parse_query, queries):
        start = thread_time()
        wrong += has_error(query, knowledge)
        times.append((thread_time() - start) * 1000)
    rest = times[1:]
    statistics = (times[0], percentile(rest, 50), percentile(rest, 95), max(rest))
    print(
        f"{what:<44} {len(queries):8,} {wrong:6,} {' '.join(f'{each:8.2f}' for each in statistics)}  {goal}"
    )


def has_error(query: Query | tuple[Problem, ...], knowledge: SchemaKnowledge) -> bool:
    if isinstance(query, tuple) or check_form(query):
        return True
    planned = make_plan(query, {})
    if not isinstance(planned, Plan):
        return True
    graph = build_query_graph(planned, lambda word: word in EXTREMES or word in MOST)
    problems = check_schema(ValidationContext(graph, knowledge, knowledge.find_relation))
    return any(problem.severity == "error" for problem in problems)


def describe(knowledge: SchemaKnowledge) -> str:
    """Number of relations, and bytes of the stored join statistics."""
    parameters = knowledge.joins.to_parameters()
    size = sum(len(parameters[name]) for name in ("pairs", "counts"))  # type: ignore[arg-type, misc]
    return f"{len(knowledge.relations):,} relations, {size:,} bytes"


# Schema knowledge as a load computes it.


def read_items(name: str, *paths: Path) -> Iterator[Item]:
    """Read files or a folder with a loader."""
    loader = get_loader(name)
    files = [
        file
        for path in paths
        for file in (loader.expand(path) if path.is_dir() and loader.expand else [path])
    ]
    return loader.read([File(path, path.name) for path in files], ReadOptions())


def build_knowledge(items: Iterable[Item]) -> SchemaKnowledge:
    """Compute the knowledge from facts and declarations."""
    classes: list[ClassDeclared] = []
    relations: list[RelationDeclared] = []
    names: dict[str, str | None] = {}
    ends: dict[str, tuple[set[str], set[str], set[str]]] = defaultdict(
        lambda: (set(), set(), set())
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        if isinstance(item, Fact):
            ends[item.head][0].add(item.relation)
            ends[item.tail][1].add(item.relation)
            if normalize_name(item.relation) == TYPE:
                ends[item.head][2].add(names.get(item.tail, item.tail) or item.tail)
            counts[item.relation].update(count_kinds(item.tail))
        elif isinstance(item, NodeDeclared):
            names[item.key] = item.name
        elif isinstance(item, ClassDeclared):
            classes.append(item)
        elif isinstance(item, RelationDeclared):
            relations.append(item)
    groups = Counter(
        (*(tuple(sorted(group)) for group in node_groups), names.get(key, key) is None)
        for key, node_groups in ends.items()
    )
    joins = count_joins(CharacteristicSet(*group, nodes) for group, nodes in groups.items())
    statistics = {
        name: TailStatistics(*(count[kind] for kind in ("facts", "numbers", "dates", "values")))
        for name, count in counts.items()
    }
    return SchemaKnowledge(Ontology.from_declarations(classes, relations), joins, statistics)


def count_kinds(tail: str) -> Iterator[str]:
    """The counters that a tail increments."""
    value = read_value(tail)
    yield "facts"
    if value is not None:
        yield "values"
        yield from ["numbers"] * (value.number is not None) + ["dates"] * (value.start is not None)


# A generated schema: a tree of classes, relations between its leaves, and values.


def generate_schema() -> tuple[
    list[ClassDeclared], list[RelationDeclared], list[CharacteristicSet]
]:
    """Classes, relations, and nodes that fit them."""
    rng = random.Random(3)
    classes = [ClassDeclared(f"C{n}", (f"C{n // 3}",) if n else ()) for n in range(CLASSES)]
    relations = []
    starts: dict[str, list[str]] = defaultdict(list)
    ends: dict[str, list[str]] = defaultdict(list)
    groups = []
    for n in range(RELATIONS):
        domain, range_ = ends_of(n)
        values = n % 2 == 0
        starts[domain].append(f"r{n}")
        if values:
            relations.append(RelationDeclared(f"r{n}", ((domain,),), values=True))
            groups.append(CharacteristicSet((), (f"r{n}",), (), False, 900))
        else:
            relations.append(RelationDeclared(f"r{n}", ((domain,),), ((range_,),), False))
            ends[range_].append(f"r{n}")
    for n in range(CLASSES):
        ancestors, name = [f"C{n}"], f"C{n}"
        while (n := n // 3) and f"C{n}" not in ancestors:
            ancestors.append(f"C{n}")
        for _ in range(3):
            node_ends = [
                [relation for relation in relation_ends[name] if rng.random() < 0.9]
                for relation_ends in (starts, ends)
            ]
            groups.append(
                CharacteristicSet((TYPE, *node_ends[0]), node_ends[1], ancestors, True, 100)
            )
    groups.append(CharacteristicSet((), (TYPE,), (), False, CLASSES))
    return classes, relations, groups


def ends_of(relation: int) -> tuple[str, str]:
    """Domain and range of a relation: two leaf classes with near numbers."""
    first = CLASSES // 3
    leaves = CLASSES - first
    start = relation * 7 % leaves
    return f"C{first + start}", f"C{first + (start + 1 + relation % 5) % leaves}"


def correct_queries() -> list[str]:
    """Queries of two hops to a value."""
    values = {ends_of(n)[0]: n for n in range(0, RELATIONS, 2)}
    hops = ((*ends_of(n), n) for n in range(1, RELATIONS, 10))
    return [write_query(domain, f"r{n}", f"r{values[range_]}") for domain, range_, n in hops]


def wrong_queries() -> list[str]:
    """Queries with a wrong domain in both hops."""
    return [
        write_query(ends_of(n + 999)[0], f"r{n}", f"r{(n + 2_501) % RELATIONS}")
        for n in range(1, RELATIONS, 10)
    ]


def write_query(class_name: str, first: str, second: str) -> str:
    """A query over two relations from the members of a class."""
    calls = (
        f"get_information(relation='{TYPE}', tail_entity='{class_name}')",
        f"get_information(head_entity=output_of_query1, relation='{first}')",
        f"get_information(head_entity=output_of_query2, relation='{second}')",
    )
    return "\n".join(f'Step{n}: find\nQuery{n}: "{call}"' for n, call in enumerate(calls, 1))


if __name__ == "__main__":
    main()
