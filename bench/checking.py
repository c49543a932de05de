"""The check of queries measured: against vocabularies that are in memory, so no server takes part.

Recorded queries of MetaQA and WebQSP, the programs for ACME, and queries right and wrong against a generated
vocabulary of 1,000 classes and 5,000 relations, declared, only found in data, or both; wrong ones are told
with relations that would do and ways of two hops. Reading the text is not counted, nor is what else the
machine does: milliseconds are those of the processor. *first* is the first query, which fills what is held.
Needs TUQA_PACKS, the folder of the data packs.

    make bench TUQA_PACKS=folder
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from pathlib import Path
from time import thread_time

from measuring import percentile

from trustuqa_neo4j.checking.building import pattern_of
from trustuqa_neo4j.checking.check import check, examine
from trustuqa_neo4j.checking.inquiry import Inquiry
from trustuqa_neo4j.checking.meetings import Alike, Meetings, meetings
from trustuqa_neo4j.checking.ontology import Ontology
from trustuqa_neo4j.checking.vocabulary import TYPE, Figures, Vocabulary
from trustuqa_neo4j.evaluation import metaqa, webqsp
from trustuqa_neo4j.language.parse import parse
from trustuqa_neo4j.language.query import LLMQuery, Problem
from trustuqa_neo4j.language.selectors import EXTREMES, MOST
from trustuqa_neo4j.loader import File, Reading, loader
from trustuqa_neo4j.mapping import fold
from trustuqa_neo4j.planning import ExecutionQuery, plan
from trustuqa_neo4j.triples import ClassDeclared, Fact, Item, RelationDeclared, Thing
from trustuqa_neo4j.values import read_value

CLASSES, RELATIONS = 1_000, 5_000
GOAL, GOAL_GENERATED = "≤ 1 / 5", "≤ 10"

Load = Callable[[], Vocabulary]


def main() -> None:
    packs = os.environ.get("TUQA_PACKS")
    if not packs:
        sys.exit("usage: TUQA_PACKS names no folder, set it to the folder of the data packs")
    print(
        f"{'check, ms':<44} {'queries':>8} {'wrong':>6} {'first':>8} {'p50':>8} {'p95':>8} {'max':>8}  goal"
    )
    folder = Path(packs)
    recorded = {"metaqa": metaqa.BENCHMARK, "webqsp": webqsp.BENCHMARK}
    for name, benchmark in recorded.items():
        queries = [case.query for case in benchmark.prepare(folder / name, None).cases]
        vocabulary = found_in(read(name, folder / name))
        report(f"{name}, {told(vocabulary)}", queries, vocabulary, GOAL)
    lines = resources.files("trustuqa_neo4j.evaluation") / "acme_programs.jsonl"
    programs = [
        json.loads(line)["query"] for line in lines.read_text(encoding="utf-8").splitlines()
    ]
    acme = [
        *sorted((folder / "acme" / "data").iterdir()),
        folder / "acme" / "ontology" / "insurance.ttl",
    ]
    vocabulary = found_in(read("r2rml", *acme))
    report(f"acme, {told(vocabulary)}", programs * 20, vocabulary, GOAL)
    classes, relations, groups = world()
    figures = {relation.name: Figures(1000) for relation in relations} | {TYPE: Figures(9)}
    declared = Vocabulary(Ontology.of(classes, relations))
    found = Vocabulary(Ontology(), meetings(groups), figures)
    both = Vocabulary(declared.ontology, found.met, figures)
    for name, vocabulary in (("declared", declared), ("found", found), ("both", both)):
        for kind, queries in (("right", right()), ("wrong", wrong())):
            what = f"{CLASSES:,} classes, {RELATIONS:,} relations {name}: {kind}"
            report(what, queries, fresh(vocabulary), GOAL_GENERATED)


def fresh(vocabulary: Vocabulary) -> Vocabulary:
    """The same with nothing held yet."""
    ontology = vocabulary.ontology
    met = Meetings.of_parameters(**vocabulary.met.to_parameters())  # type: ignore[arg-type]
    return Vocabulary(Ontology(ontology.classes, ontology.relations), met, vocabulary.relations)


def report(what: str, queries: list[str], vocabulary: Vocabulary, goal: str) -> None:
    """Check every query, each in the very same way as before it runs."""
    taken, bad = [], 0
    for query in map(parse, queries):
        begun = thread_time()
        bad += checked(query, vocabulary)
        taken.append((thread_time() - begun) * 1000)
    rest = taken[1:]
    figures = (taken[0], percentile(rest, 50), percentile(rest, 95), max(rest))
    print(
        f"{what:<44} {len(queries):8,} {bad:6,} {' '.join(f'{each:8.2f}' for each in figures)}  {goal}"
    )


def checked(query: LLMQuery | tuple[Problem, ...], vocabulary: Vocabulary) -> bool:
    """Whether a query is wrong."""
    if isinstance(query, tuple) or check(query):
        return True
    planned = plan(query, {})
    if not isinstance(planned, ExecutionQuery):
        return True
    pattern = pattern_of(planned, lambda word: word in EXTREMES or word in MOST)
    found = examine(Inquiry(pattern, vocabulary, vocabulary.relation_named))
    return any(problem.severity == "error" for problem in found)


def told(vocabulary: Vocabulary) -> str:
    """How much a vocabulary knows, and what it takes."""
    kept = vocabulary.met.to_parameters()
    size = sum(len(each) for each in (kept["pairs"], kept["counts"]))  # type: ignore[arg-type, misc]
    return f"{len(vocabulary.relations):,} relations, {size:,} bytes"


# Vocabularies as a load makes them, counted here.


def read(name: str, *paths: Path) -> Iterator[Item]:
    """What a format reads of files or a folder."""
    found = loader(name)
    files = [
        each
        for path in paths
        for each in (found.expand(path) if path.is_dir() and found.expand else [path])
    ]
    return found.read([File(path, path.name) for path in files], Reading())


def found_in(items: Iterable[Item]) -> Vocabulary:
    """The vocabulary of a graph and of what is declared in it."""
    classes: list[ClassDeclared] = []
    relations: list[RelationDeclared] = []
    names: dict[str, str | None] = {}
    sides: dict[str, tuple[set[str], set[str], set[str]]] = defaultdict(
        lambda: (set(), set(), set())
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        if isinstance(item, Fact):
            sides[item.head][0].add(item.relation)
            sides[item.tail][1].add(item.relation)
            if fold(item.relation) == TYPE:
                sides[item.head][2].add(names.get(item.tail, item.tail) or item.tail)
            counts[item.relation].update(kinds(item.tail))
        elif isinstance(item, Thing):
            names[item.key] = item.name
        elif isinstance(item, ClassDeclared):
            classes.append(item)
        elif isinstance(item, RelationDeclared):
            relations.append(item)
    alike = Counter(
        (tuple(sorted(starts)), tuple(sorted(ends)), tuple(sorted(of)), names.get(key, key) is None)
        for key, (starts, ends, of) in sides.items()
    )
    met = meetings(Alike(*group, nodes) for group, nodes in alike.items())
    figures = {
        name: Figures(each["facts"], each["numbers"], each["dates"], each["values"])
        for name, each in counts.items()
    }
    return Vocabulary(Ontology.of(classes, relations), met, figures)


def kinds(tail: str) -> Iterator[str]:
    """What a tail counts as."""
    value = read_value(tail)
    yield "facts"
    if value is not None:
        yield "values"
        yield from ["numbers"] * (value.number is not None) + ["dates"] * (value.start is not None)


# A generated world: a tree of classes, relations between its leaves, and values.


def world() -> tuple[list[ClassDeclared], list[RelationDeclared], list[Alike]]:
    """Classes, relations, and nodes that are as declared."""
    chance = random.Random(3)
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
            groups.append(Alike((), (f"r{n}",), (), False, 900))
        else:
            relations.append(RelationDeclared(f"r{n}", ((domain,),), ((range_,),), False))
            ends[range_].append(f"r{n}")
    for n in range(CLASSES):
        of, name = [f"C{n}"], f"C{n}"
        while (n := n // 3) and f"C{n}" not in of:
            of.append(f"C{n}")
        for _ in range(3):
            here = [
                [each for each in known[name] if chance.random() < 0.9] for known in (starts, ends)
            ]
            groups.append(Alike((TYPE, *here[0]), here[1], of, True, 100))
    groups.append(Alike((), (TYPE,), (), False, CLASSES))
    return classes, relations, groups


def ends_of(relation: int) -> tuple[str, str]:
    """The classes that a relation leads from and to, near each other in number and all of them leaves."""
    first = CLASSES // 3
    leaves = CLASSES - first
    start = relation * 7 % leaves
    return f"C{first + start}", f"C{first + (start + 1 + relation % 5) % leaves}"


def right() -> list[str]:
    """Two hops that can be walked, to values."""
    values = {ends_of(n)[0]: n for n in range(0, RELATIONS, 2)}
    hops = ((*ends_of(n), n) for n in range(1, RELATIONS, 10))
    return [steps(of, f"r{n}", f"r{values[to]}") for of, to, n in hops]


def wrong() -> list[str]:
    """A class that the relation does not start from, and a relation that starts from elsewhere."""
    return [
        steps(ends_of(n + 999)[0], f"r{n}", f"r{(n + 2_501) % RELATIONS}")
        for n in range(1, RELATIONS, 10)
    ]


def steps(of: str, first: str, second: str) -> str:
    """A query that walks two relations from the members of a class."""
    calls = (
        f"get_information(relation='{TYPE}', tail_entity='{of}')",
        f"get_information(head_entity=output_of_query1, relation='{first}')",
        f"get_information(head_entity=output_of_query2, relation='{second}')",
    )
    return "\n".join(f'Step{n}: find\nQuery{n}: "{call}"' for n, call in enumerate(calls, 1))


if __name__ == "__main__":
    main()
