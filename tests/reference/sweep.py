"""Random queries over random data, by the engine and by the reference interpreter.

``python -m reference.sweep --queries 100000`` prints what differs by function and kind;
``--world graph --seed 7 --only 12`` repeats one query and prints data and query.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from support.homes import start_own_server

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.errors import TrustUQAError

from .comparison import find_difference
from .interpreter import Interpreter
from .model import Program, Unspecified
from .queries import Writer
from .worlds import WORLDS, World, make_world

EVIDENCE = 10_000


@dataclass(frozen=True)
class Difference:
    world: str
    seed: int
    number: int
    query: str
    message: str
    shapes: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.message.partition(":")[0]

    def __str__(self) -> str:
        place = f"--world {self.world} --seed {self.seed} --only {self.number}"
        return f"{place}\n{self.query}\n  {self.message}\n"


@dataclass
class Counts:
    """Queries by shape, and differences by shape and kind; the first ``shown`` are printed at once."""

    shown: int = 0
    queries: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    unspecified: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def add(self, difference: Difference) -> None:
        self.differences.append(difference)
        if len(self.differences) <= self.shown:
            print(difference, flush=True)

    def format_table(self) -> str:
        kinds = sorted({d.kind for d in self.differences})
        by_shape = Counter((shape, d.kind) for d in self.differences for shape in {*d.shapes})
        lines = [
            f"{'shape or function':28}{'queries':>9}" + "".join(f"{kind:>12}" for kind in kinds)
        ]
        for shape, number in sorted(self.queries.items()):
            cells = "".join(f"{by_shape[shape, kind] or '':>12}" for kind in kinds)
            lines.append(f"{shape:28}{number:>9}{cells}")
        return "\n".join(lines)


def load_world(
    client: TrustUQA, kind: str, seed: int, folder: Path
) -> tuple[World, str, dict[str, str]]:
    """Load a world; return it with its dataset and its sources by file."""
    world = make_world(kind, seed)
    dataset = f"{kind}{seed}"
    paths = []
    place = folder / dataset
    place.mkdir()
    for name, content in world.files.items():
        path = place / name
        path.write_text(content)
        paths.append(path)
    client.load(world.format, *map(str, paths), dataset=dataset)
    return world, dataset, {path.name: str(path) for path in paths}


def make_program(world: World, kind: str, seed: int, number: int) -> tuple[Program, list[str]]:
    writer = Writer(world, Random(f"{kind} {seed} {number}"))
    program = writer.write()
    return program, writer.shapes


def run_queries(
    client: TrustUQA, kind: str, seed: int, numbers: range, folder: Path, counts: Counts
) -> None:
    """Run some queries over one world, and count what differs."""
    world, dataset, sources = load_world(client, kind, seed, folder)
    source = sources["clubs.csv"] if kind == "table" else None
    interpreter = Interpreter(world.data, "clubs.csv" if kind == "table" else None)
    for number in numbers:
        program, shapes = make_program(world, kind, seed, number)
        text = str(program)
        for shape in {*shapes}:
            counts.queries[shape] += 1
        try:
            answer = client.run(text, dataset, source=source, evidence=EVIDENCE)
            crash = None
        except TrustUQAError as error:
            answer, crash = None, f"crash: {error}"
        except Exception as error:  # noqa: BLE001 # whatever it is, it is a difference
            answer, crash = None, f"crash: {type(error).__name__} {error}"
        try:
            if answer is not None and any(match.how == "nearest" for match in answer.mapped):
                raise Unspecified("a nearest name")  # has a table of cases of its own
            expected = interpreter.run(program)
        except Unspecified as reason:
            counts.unspecified[str(reason)] += 1
            message = crash
        else:
            assert answer is not None or crash
            counts.outcomes[expected.outcome] += 1
            message = crash if answer is None else find_difference(answer, expected, world)
        if message:
            counts.add(Difference(kind, seed, number, text, message, tuple(shapes)))
    client.drop(dataset)


def list_batches(
    queries: int, per_world: int, first_seed: int = 0
) -> Iterator[tuple[str, int, range]]:
    """Worlds and numbers of queries that make so many queries together."""
    kinds = list(WORLDS)
    done = 0
    while done < queries:
        place = done // per_world
        number = min(per_world, queries - done)
        yield kinds[place % len(kinds)], first_seed + place // len(kinds), range(number)
        done += number


def sweep(
    client: TrustUQA,
    queries: int,
    per_world: int,
    first_seed: int = 0,
    kinds: tuple[str, ...] = (),
    shown: int = 0,
) -> Counts:
    """Run so many queries, the same for the same arguments."""
    counts = Counts(shown)
    with tempfile.TemporaryDirectory() as folder:
        for kind, seed, numbers in list_batches(queries, per_world, first_seed):
            if not kinds or kind in kinds:
                run_queries(client, kind, seed, numbers, Path(folder), counts)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--per-world", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", choices=WORLDS, action="append")
    parser.add_argument("--only", type=int)
    parser.add_argument("--show", type=int, default=40, help="differences that are printed")
    options = parser.parse_args()
    with ExitStack() as stack:
        settings = Settings.read()
        if settings.uri is None:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            settings = stack.enter_context(start_own_server(home))
        with TrustUQA.connect(settings) as client:
            if options.only is not None:
                return repeat(client, options.world[0], options.seed, options.only)
            counts = sweep(
                client,
                options.queries,
                options.per_world,
                options.seed,
                tuple(options.world or ()),
                options.show,
            )
    print(counts.format_table())
    print(dict(counts.outcomes), "unspecified:", dict(counts.unspecified))
    print(
        f"{len(counts.differences):,} differences",
        dict(Counter(d.kind for d in counts.differences)),
    )
    return 1 if counts.differences else 0


def repeat(client: TrustUQA, kind: str, seed: int, number: int) -> int:
    """Run one query, and print the data, the query and both outcomes."""
    world = make_world(kind, seed)
    for name, content in world.files.items():
        print(f"--- {name}\n{content}")
    counts = Counts(1)
    with tempfile.TemporaryDirectory() as folder:
        run_queries(client, kind, seed, range(number, number + 1), Path(folder), counts)
    return 1 if counts.differences else 0


if __name__ == "__main__":
    sys.exit(main())
