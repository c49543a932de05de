"""6. Groups: rows against different values against sums; extremes, top k, shares, means, per group."""

from __future__ import annotations

from collections import Counter
from random import Random

from .ledgers import Ledger, ledger_of
from .lexicon import Lexicon
from .model import Answers, Question, Value, family
from .sheets import new_records, sheet_of

CATEGORY = "groups"


def top(counts: Counter[str], number: int = 1, least: bool = False) -> set[str]:
    """The first names by count, or none if the border is not clear."""
    order = sorted(counts.items(), key=lambda item: (item[1] if least else -item[1], item[0]))
    if len(order) <= number or order[number - 1][1] == order[number][1]:
        return set()
    return {name for name, _ in order[:number]}


def kinds_by(ledger: Ledger, field: int, of: int) -> Counter[str]:
    """How many different values of one field go with each value of another."""
    pairs = {(act[field], act[of]) for act in ledger.acts}
    return Counter(str(pair[0]) for pair in pairs)


def totals(words: Lexicon, rng: Random) -> list[Question]:
    """How many orders, items, different products, different customers."""
    ledger = ledger_of(words, rng, rng.randrange(14, 24))
    w, acts = ledger.words, ledger.acts
    much = f"How many {w['unit']} were {w['past']}"
    found: list[Question] = []

    def ask(
        chosen: list[tuple[str, str, int, str]], asked: list[tuple[str, str]], *without: str
    ) -> None:
        readings: dict[str, set[int]] = {
            "rows": {len(chosen)},
            "sum": {sum(a[2] for a in chosen)},
            "kinds": {len({a[1] for a in chosen})},
            "agents": {len({a[0] for a in chosen})},
            "all rows": {len(acts)},
            "all sum": {sum(a[2] for a in acts)},
        }
        if len(chosen) == len(acts):
            readings = {m: s for m, s in readings.items() if not m.startswith("all")}
        for meaning in without:
            del readings[meaning]
        if chosen:
            got = family(CATEGORY, ledger.table, readings, asked)
            found.extend(got)

    ask(
        acts,
        [
            ("rows", f"How many {w['rows']} were {w['made']}?"),
            ("sum", f"{much} in total?"),
            ("rows", f"How many {w['rows']} are there?"),
            ("sum", f"What is the total number of {w['unit']} {w['past']}?"),
            ("kinds", f"How many different {w['things']} were {w['past']}?"),
            ("agents", f"How many different {w['agents']} are there?"),
        ],
    )
    agent, thing, place = (
        rng.choice(ledger.agents),
        rng.choice(ledger.things),
        rng.choice(ledger.places),
    )
    do = {"placed": "place", "made": "make", "concluded": "conclude", "carried out": "carry out"}[
        w["made"]
    ]
    ask(
        [a for a in acts if a[0] == agent],
        [
            ("rows", f"How many {w['rows']} did {agent} {do}?"),
            ("sum", f"How many {w['unit']} did {agent} {w['base']}?"),
            ("sum", f"How many {w['unit']} did {agent} {w['base']} in total?"),
            ("kinds", f"How many different {w['things']} did {agent} {w['base']}?"),
        ],
        "agents",
    )
    ask(
        [a for a in acts if a[1] == thing],
        [
            ("rows", f"How many {w['rows']} of {thing} were {w['made']}?"),
            ("agents", f"How many different {w['agents']} {w['past']} {thing}?"),
        ],
        "kinds",
    )
    at = ledger.at(place)
    ask(
        [a for a in acts if a[3] == place],
        [
            ("rows", f"How many {w['rows']} were {w['made']} {at}?"),
            ("sum", f"{much} {at}?"),
            ("kinds", f"How many different {w['things']} were {w['past']} {at}?"),
            ("agents", f"How many different {w['agents']} {w['past']} something {at}?"),
        ],
    )
    return found


def extremes(words: Lexicon, rng: Random) -> list[Question]:
    """Most rows against most items against most kinds; first against first two; most against fewest."""
    ledger = ledger_of(words, rng, rng.randrange(16, 26))
    w = ledger.words
    found = []
    for field, one, many in (
        (0, w["agent"], w["agents"]),
        (3, w["place"], w["places"]),
        (1, w["thing"], w["things"]),
    ):
        rows, sums = ledger.rows_by(field), ledger.sums_by(field)
        kinds = kinds_by(ledger, field, 1 if field != 1 else 0)
        biggest: Counter[str] = Counter()
        for act in ledger.acts:
            biggest[str(act[field])] = max(biggest[str(act[field])], act[2])
        readings = {
            "most rows": top(rows),
            "most sum": top(sums),
            "most kinds": top(kinds),
            "largest": top(biggest),
            "least rows": top(rows, 1, True),
            "least sum": top(sums, 1, True),
        }
        pairs = {
            "two rows": top(rows, 2),
            "two sum": top(sums, 2),
            "three sum": top(sums, 3),
            "two kinds": top(kinds, 2),
            "least two sum": top(sums, 2, True),
            "least two rows": top(rows, 2, True),
        }
        asked, more = [], []
        if field == 0:
            asked = [
                ("most rows", f"Which {one} {w['made']} the most {w['rows']}?"),
                ("most sum", f"Which {one} {w['past']} the most {w['unit']}?"),
                ("most sum", f"Who {w['past']} the most {w['unit']} in total?"),
                ("most kinds", f"Which {one} {w['past']} the most different {w['things']}?"),
                ("least sum", f"Which {one} {w['past']} the fewest {w['unit']}?"),
                ("least rows", f"Which {one} {w['made']} the fewest {w['rows']}?"),
                ("largest", f"Which {one} {w['made']} the {w['row']} with the most {w['unit']}?"),
            ]
            more = [
                ("two rows", f"Which two {many} {w['made']} the most {w['rows']}?"),
                ("two sum", f"Which two {many} {w['past']} the most {w['unit']}?"),
                ("three sum", f"Which three {many} {w['past']} the most {w['unit']}?"),
                ("least two sum", f"Which two {many} {w['past']} the fewest {w['unit']}?"),
            ]
        elif field == 3:
            asked = [
                ("most rows", f"At which {one} were the most {w['rows']} {w['made']}?"),
                ("most sum", f"At which {one} were the most {w['unit']} {w['past']}?"),
                (
                    "most kinds",
                    f"At which {one} were the most different {w['things']} {w['past']}?",
                ),
                ("least sum", f"At which {one} were the fewest {w['unit']} {w['past']}?"),
                ("least rows", f"Which {one} had the fewest {w['rows']}?"),
            ]
            more = [
                ("two sum", f"At which two {many} were the most {w['unit']} {w['past']}?"),
                ("two rows", f"Which two {many} had the most {w['rows']}?"),
            ]
        else:
            asked = [
                ("most rows", f"Which {one} was {w['past']} most often?"),
                ("most kinds", f"Which {one} was {w['past']} by the most different {w['agents']}?"),
                ("least rows", f"Which {one} was {w['past']} least often?"),
            ]
            more = [("two rows", f"Which two {many} were {w['past']} most often?")]
            if w["base"] != "repair":
                asked += [
                    (
                        "most sum",
                        (
                            f"For which {one} were the most {w['unit']} {w['past']}?"
                            if one == "tour"
                            else f"Of which {one} were the most {w['unit']} {w['past']}?"
                        ),
                    )
                ]
        got = family(CATEGORY, ledger.table, readings, asked) + family(
            CATEGORY, ledger.table, pairs, more
        )
        found += got
    row = w["row"]
    sizes = Counter(
        {r[row]: act[2] for r, act in zip(ledger.table.rows, ledger.acts, strict=False)}
    )
    found += family(
        CATEGORY,
        ledger.table,
        {"row": top(sizes), "least row": top(sizes, 1, True), "agent": top(ledger.sums_by(0))},
        [("row", f"Which {row} had the most {w['unit']}?")],
    )
    return found


def shares(words: Lexicon, rng: Random) -> list[Question]:
    """Shares and means of rows against those of sums."""
    ledger = ledger_of(words, rng, 20, rng.choice((50, 100)))
    w, acts = ledger.words, ledger.acts
    total = sum(a[2] for a in acts)
    found: list[Question] = []

    def share(of: list[tuple[str, str, int, str]]) -> dict[str, set[Value]]:
        rows = 100 * len(of) / len(acts)
        return {
            "rows": {rows},
            "sum": {100 * sum(a[2] for a in of) / total},
            "count": {len(of)},
            "part": {sum(a[2] for a in of)},
        }

    def ask(readings: dict[str, set[Value]], asked: list[tuple[str, str]]) -> None:
        fair: dict[str, list[Answers]] = {}
        for meaning in ("rows", "sum"):
            value = next(iter(readings[meaning]))
            assert isinstance(value, float)
            fair[meaning] = [[value / 100], [f"{value:g}%"]]
        found.extend(family(CATEGORY, ledger.table, readings, asked, fair))

    agent, place = rng.choice(ledger.agents), rng.choice(ledger.places)
    what = words.choose("What percentage", "What share, in percent,")
    ask(
        share([a for a in acts if a[0] == agent]),
        [
            ("rows", f"{what} of the {w['rows']} was {w['made']} by {agent}?"),
            ("sum", f"{what} of the {w['unit']} was {w['past']} by {agent}?"),
        ],
    )
    at = ledger.at(place)
    ask(
        share([a for a in acts if a[3] == place]),
        [
            ("rows", f"{what} of the {w['rows']} was {w['made']} {at}?"),
            ("sum", f"{what} of the {w['unit']} was {w['past']} {at}?"),
        ],
    )
    thing = rng.choice(ledger.things)
    mine = [a for a in acts if a[1] == thing]
    ask(
        share(mine),
        [("rows", f"{what} of the {w['rows']} {words.choose('was', 'is')} for {thing}?")],
    )
    agents = len(ledger.agents)
    means: dict[str, set[Value]] = {
        "per row": {total / len(acts)},
        "per agent": {total / agents},
        "per place": {total / len(ledger.places)},
        "rows per agent": {len(acts) / agents},
        "total": {total},
    }
    asked = [
        ("per row", f"What is the average number of {w['unit']} per {w['row']}?"),
        ("per agent", f"What is the average number of {w['unit']} per {w['agent']}?"),
        ("per place", f"What is the average number of {w['unit']} per {w['place']}?"),
        ("rows per agent", f"What is the average number of {w['rows']} per {w['agent']}?"),
        (
            "per row",
            f"How many {w['unit']} does {'an' if w['row'][0] in 'aeiou' else 'a'} {w['row']} have on average?",
        ),
    ]
    return found + family(CATEGORY, ledger.table, means, asked)


def per_group(words: Lexicon, rng: Random) -> list[Question]:
    """One number for each group, as `group: number`; the bare numbers are fair, too."""
    ledger = ledger_of(words, rng, rng.randrange(14, 24))
    w = ledger.words
    found = []
    for field, one in ((3, w["place"]), (0, w["agent"])):
        rows, sums = ledger.rows_by(field), ledger.sums_by(field)
        kinds = kinds_by(ledger, field, 1)
        counted = {"rows": rows, "sum": sums, "kinds": kinds}
        readings = {m: {f"{k}: {v}" for k, v in c.items()} for m, c in counted.items()}
        fair: dict[str, list[set[int]]] = {
            m: [set(c.values())] if len(set(c.values())) == len(c) else []
            for m, c in counted.items()
        }
        if field == 3:
            asked = [
                ("rows", f"How many {w['rows']} were {w['made']} at each {one}?"),
                ("sum", f"How many {w['unit']} were {w['past']} at each {one}?"),
                ("kinds", f"How many different {w['things']} were {w['past']} at each {one}?"),
                ("rows", f"Give the number of {w['rows']} per {one}."),
                ("sum", f"Give the total number of {w['unit']} per {one}."),
            ]
        else:
            do = {
                "placed": "place",
                "made": "make",
                "concluded": "conclude",
                "carried out": "carry out",
            }[w["made"]]
            asked = [
                ("rows", f"How many {w['rows']} did each {one} {do}?"),
                ("sum", f"How many {w['unit']} did each {one} {w['base']}?"),
                ("kinds", f"How many different {w['things']} did each {one} {w['base']}?"),
                ("rows", f"Give the number of {w['rows']} per {one}."),
                ("sum", f"Give the total number of {w['unit']} per {one}."),
            ]
        got = family(CATEGORY, ledger.table, readings, asked, fair)
        found += got
    return found


def group_of_things(words: Lexicon, rng: Random) -> list[Question]:
    """The group with the most things, the greatest sum, the greatest mean, or the greatest thing."""
    topic = rng.choice(words.topics)
    records = new_records(words, topic, rng, 12)
    sheet = sheet_of(words, topic, records, rng, ["group", "big"])
    group, big = topic["group"], topic["big"]
    count = Counter(r["group"] for r in records)
    total: Counter[str] = Counter()
    best: Counter[str] = Counter()
    for r in records:
        total[r["group"]] += r["big"]
        best[r["group"]] = max(best[r["group"]], r["big"])
    mean = Counter({g: total[g] / count[g] for g in count})
    readings = {
        "count": top(count),
        "total": top(total),
        "best": top(best),
        "mean": top(mean),
        "fewest": top(count, 1, True),
        "two": top(count, 2),
        "least total": top(total, 1, True),
        "least mean": top(mean, 1, True),
    }
    noun, plural, things = group["noun"], group["plural"], topic["plural"]
    label = "total " + big["noun"]
    average = "average " + big["noun"]
    asked = [
        ("count", f"Which {noun} has the most {things}?"),
        ("fewest", f"Which {noun} has the fewest {things}?"),
        ("two", f"Which two {plural} have the most {things}?"),
        (
            "total",
            f"Which {noun} has the {words.adjective('greatest')} {label} over all of its {things}?",
        ),
        (
            "mean",
            f"For which {noun} is the {average} of the {things} the {words.adjective('greatest')}?",
        ),
        (
            "least mean",
            f"For which {noun} is the {average} of the {things} the {words.adjective('smallest')}?",
        ),
        (
            "best",
            f"Which {noun} has the {topic['noun']} with the {words.adjective('greatest')} {big['noun']}?",
        ),
    ]
    found = family(CATEGORY, sheet.table, readings, asked)
    value = rng.choice(sorted(count))
    inside = [r for r in records if r["group"] == value]
    sums: dict[str, set[Value]] = {
        "inside": {total[value]},
        "all": {sum(total.values())},
        "count": {len(inside)},
        "mean": {total[value] / len(inside)},
        "max": {best[value]},
    }
    found += family(
        CATEGORY,
        sheet.table,
        sums,
        [
            (
                "inside",
                f"What is the total {big['noun']} of the {things} {group['np'].format(v=value)}?",
            ),
            (
                "mean",
                f"What is the average {big['noun']} of the {things} {group['np'].format(v=value)}?",
            ),
            (
                "max",
                (
                    f"What is the {words.adjective('greatest')} {big['noun']}"
                    f" among the {things} {group['np'].format(v=value)}?"
                ),
            ),
            ("count", f"How many {things} {group['vp'].format(v=value)}?"),
        ],
    )
    number: dict[str, set[Value]] = {"values": {len(count)}, "rows": {len(records)}}
    found += family(
        CATEGORY,
        sheet.table,
        number,
        [
            ("values", f"How many different {plural} are there?"),
            ("rows", f"How many {things} are there?"),
        ],
    )
    return found


MAKERS = (totals, extremes, shares, per_group, group_of_things)
