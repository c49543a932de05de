"""A graph of any size for the storage benchmark, generated from a seed.

It has N facts over 0.3 N nodes: a fifth with intervals (years 1000 to 2020, one in ten without an end), one
tail in four a number, relations as uneven as in real graphs. One node is a hub with 2.4 % of all facts over
200 relations; the rarest of these has 198 facts. One value occurs in 3,000 sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

LOADER = "temporal-kg"
GRAPH = "graph.tsv"
HUB, SHARED = "hub", "the shared value"
RELATIONS, HUB_RELATIONS, SOURCES = 400, 200, 3_000
RARE = "hub relation 199"
RARE_FACTS = 198
HELD = "held relation"
FIRST, LAST = 1000, 2020
_FACTS_PER_SOURCE = 7


def write_graph(folder: Path, facts: int) -> list[str]:
    """Write the files to ``folder``; return their names, the graph first."""
    folder.mkdir()
    with (folder / GRAPH).open("w", encoding="utf-8") as graph:
        graph.writelines(_generate_facts(facts - SOURCES * _FACTS_PER_SOURCE, Random(7)))
    names = [GRAPH]
    for number in range(SOURCES):
        names.append(f"source {number}.tsv")
        lines = (
            f"of {number} {n}\tshared relation\t{SHARED}\t\t\n" for n in range(_FACTS_PER_SOURCE)
        )
        (folder / names[-1]).write_text("".join(lines), encoding="utf-8")
    return names


def _generate_facts(total: int, random: Random) -> Iterator[str]:
    nodes = int(total * 0.3)
    hub = total * 24 // 1000
    uniform = random.random
    for number in range(1, total + 1):
        tail, interval = f"thing {int(nodes * uniform())}", "\t"
        if number <= hub:
            tail = HUB
            relation = (
                RARE if number <= RARE_FACTS else f"hub relation {number % (HUB_RELATIONS - 1)}"
            )
        else:
            relation = f"relation {int(RELATIONS * uniform() ** 3)}"
            if number <= hub + total // 5:
                first = FIRST + int((LAST - FIRST) * uniform() ** 0.5)
                last = "" if number % 10 == 0 else str(first + int(40 * uniform() ** 3))
                interval = f"{first}\t{last}"
                relation = HELD if number % 128 == 0 else relation
            elif number % 4 == 0:
                tail = str(int(nodes * uniform()) / 4)
        yield f"thing {int(nodes * uniform())}\t{relation}\t{tail}\t{interval}\n"
