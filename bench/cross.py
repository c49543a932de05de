"""Questions over three sources: a table names a film, a graph its people, a temporal graph facts about them.

    python -m bench.cross --packs PACKS --out cross
    tuqa eval cross cross --replay

The construction is that of the TrustUQA paper (appendix D.2): A (an award of the table) → B (the nominated
work) → C (its director, writer or actor in MetaQA) → D (a place or spouse in YAGO11k). The table is invented,
the graphs are those of the packs. Each row of the table has two traps: its guest is another person of the
temporal graph, and its sponsor is another film. Values that only these, or another role of the film, reach
are the traps of a question. The paper's own case comes first.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROLES = {"directed_by": "director", "written_by": "writer", "starred_actors": "actor"}
FACTS = {
    "wasBornIn": "Where was the {role} of the work nominated for the {award} born?",
    "diedIn": "Where did the {role} of the work nominated for the {award} die?",
    "isMarriedTo": "Whom did the {role} of the work nominated for the {award} marry?",
}
COLUMNS = ("Award", "Nominated work", "Guest", "Sponsor")
CITIES = ("Northern", "Harbour", "Valley", "Lakeside", "Hilltop", "Island", "Prairie", "Coastal")

Graph = Mapping[tuple[str, str], set[str]]


def read_lines(path: Path) -> Iterator[str]:
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rt") if packed.exists() else path.open() as file:
        yield from (line.rstrip("\n") for line in file)


def read_graph(lines: Iterator[str], separator: str) -> dict[tuple[str, str], set[str]]:
    graph: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for line in lines:
        head, relation, tail, *_ = line.split(separator)
        graph[head, relation].add(tail)
    return dict(graph)


def follow(people: set[str], relation: str, facts: Graph) -> set[str]:
    return {value for person in people for value in facts.get((person, relation), ())}


def write_query(award: str, role: str, relation: str) -> str:
    quote = '"' if "'" in award else "'"
    steps = (
        f"relation='Award', tail_entity={quote}{award}{quote}",
        "relation='Nominated work', head_entity=output_of_query1",
        f"relation='{role}', head_entity=output_of_query2",
        f"relation='{relation}', head_entity=output_of_query3",
    )
    return "\n".join(f"Query{n}: get_information({step})" for n, step in enumerate(steps, 1))


def make_cases(
    films: Graph, facts: Graph, count: int, seed: int
) -> tuple[list[dict[str, Any]], list[tuple[str, ...]]]:
    chooser = random.Random(seed)
    choices = [
        (film, role, relation)
        for (film, role), people in sorted(films.items())
        if role in ROLES
        for relation in FACTS
        if follow(people, relation, facts)
    ]
    chooser.shuffle(choices)
    people = sorted({person for person, relation in facts if relation in FACTS})
    titles = sorted({film for film, role in films if role in ROLES})
    cases, rows = [], []
    for number, (film, role, relation) in enumerate(choices[:count], 1):
        award = f"{CITIES[number % len(CITIES)]} Film Prize {number}"
        guest, sponsor = chooser.choice(people), chooser.choice(titles)
        answers = follow(films[film, role], relation, facts)
        wrong = {guest} | films.get((sponsor, role), set())
        wrong |= {person for other in ROLES for person in films.get((film, other), ())}
        traps = follow(wrong - films[film, role], relation, facts) - answers
        question = FACTS[relation].format(role=ROLES[role], award=award)
        cases.append({
            "id": f"g{number}", "question": question, "answers": sorted(answers),
            "traps": sorted(traps), "query": write_query(award, role, relation),
            "group": f"{ROLES[role]}, {relation}",
        })  # fmt: skip
        rows.append((award, film, guest, sponsor))
    return cases, rows


def read_paper_case(path: Path) -> tuple[dict[str, Any], tuple[str, ...], str]:
    """Return the case, its row of the table and its temporal fact."""
    record = json.loads(path.read_text().splitlines()[0])
    film, fact = record["sources"]["kg"]["triple"][0], record["sources"]["temporal_kg"]["fact"]
    steps = record["execution_query"]
    query = "\n".join(f"Query{n}: {step}" for n, step in enumerate(steps, 1))
    case = {
        "id": "paper", "question": record["question"], "answers": record["answers"], "traps": [],
        "query": query, "group": "paper",
    }  # fmt: skip
    award = steps[0].partition("tail_entity='")[2].partition("'")[0]
    return case, (award, film, "", ""), "\t".join(fact)


def write_folder(packs: Path, out: Path, count: int, seed: int) -> int:
    films = list(read_lines(packs / "metaqa" / "kb.txt"))
    header, *facts = read_lines(packs / "yago11k" / "kg.tsv")
    cases, rows = make_cases(
        read_graph(iter(films), "|"), read_graph(iter(facts), "\t"), count, seed
    )
    paper, row, fact = read_paper_case(packs / "cross" / "case.jsonl")
    out.mkdir(parents=True, exist_ok=True)
    with (out / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, row, *rows])
    (out / "kb.txt").write_text("\n".join(films) + "\n")
    (out / "kg.tsv").write_text("\n".join([header, *facts, fact]) + "\n")
    text = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in (paper, *cases))
    (out / "cases.jsonl").write_text(text)
    return len(cases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packs", type=Path, required=True, help="folder of the data packs")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    count = write_folder(options.packs, options.out, options.count, options.seed)
    print(f"{count} cases and the one of the paper in {options.out}")


if __name__ == "__main__":
    main()
