"""A graph of any size, made anew from its seed each time: what the storage benchmark is measured on.

Of N facts over 0.3 N nodes: a fifth with intervals (years 1000 to 2020, one in ten still open), one in four
of the tails a number, relations as uneven as in real graphs. One node is a hub with 2.4 % of all facts over
200 relations, the rarest of which it has 198 times; one value is shared by 3,000 sources.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from trustuqa_neo4j.loader import File, Loader, Reading
from trustuqa_neo4j.triples import Fact, Held, Item
from trustuqa_neo4j.values import OPEN

HUB, SHARED = "hub", "the shared value"
RELATIONS, HUB_RELATIONS, SOURCES = 400, 200, 3_000
RARE = "hub relation 199"
RARE_FACTS = 198
HELD = "held relation"
FIRST, LAST = 1000, 2020


def written(folder: Path, facts: int) -> Path:
    """The file that the loader below makes its graph of."""
    path = folder / f"generated-{facts}.json"
    path.write_text(json.dumps({"facts": facts}))
    return path


def read(files: Sequence[File], reading: Reading) -> Iterator[Item]:
    total = json.loads(files[0].path.read_text())["facts"]
    random = Random(7)
    yield reading.part("generated", files[0].name, "temporal-kg")
    yield from _facts(total - SOURCES * 7, random)
    for number in range(SOURCES):
        yield reading.part(f"source {number}", files[0].name, "kg")
        for line in range(1, 8):
            yield Fact(f"of {number} {line}", "shared relation", SHARED, line)


def _facts(total: int, random: Random) -> Iterator[Item]:
    nodes = int(total * 0.3)
    hub = total * 24 // 1000
    choose, uniform = random.randrange, random.random
    for line in range(1, total + 1):
        if line <= hub:
            relation = RARE if line <= RARE_FACTS else f"hub relation {line % (HUB_RELATIONS - 1)}"
            yield Fact(f"thing {choose(nodes)}", relation, HUB, line)
        elif line <= hub + total // 5:
            yield _held(line, choose, uniform, nodes)
        else:
            relation = f"relation {int(RELATIONS * uniform() ** 3)}"
            tail = str(choose(nodes) / 4) if line % 4 == 0 else f"thing {choose(nodes)}"
            yield Fact(f"thing {choose(nodes)}", relation, tail, line)


def _held(
    line: int, choose: Callable[[int], int], uniform: Callable[[], float], nodes: int
) -> Fact:
    year = FIRST + int((LAST - FIRST) * uniform() ** 0.5)
    last = year + int(40 * uniform() ** 3)
    start, end = year * 10000 + 101, last * 10000 + 1231
    held = (
        Held(start, OPEN, str(year)) if line % 10 == 0 else Held(start, end, str(year), str(last))
    )
    relation = HELD if line % 128 == 0 else f"relation {int(RELATIONS * uniform() ** 3)}"
    return Fact(f"thing {choose(nodes)}", relation, f"thing {choose(nodes)}", line, held)


LOADER = Loader("generated", "a generated graph", "temporal-kg", read)
