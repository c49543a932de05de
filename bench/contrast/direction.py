"""1. Direction: who acts on whom, in all forms of a relation, and chains of two."""

from __future__ import annotations

from random import Random

from .frames import Facts, acyclic_pairs, facts_of, graph_of, slots, styled, wordings
from .lexicon import Entry, Lexicon
from .model import Question, Value, family

CATEGORY = "direction"
STYLES = ("snake", "space", "camel")


def people_or(words: Lexicon, kind: str, rng: Random, number: int) -> list[str]:
    """Names of a kind; people have surnames in every second file."""
    names = words.kinds[kind]["names"]
    if names == "people" and rng.random() < 0.5:
        names = "full"
    return words.names(names, rng, number)


def two_relations(words: Lexicon, rng: Random, need: str = "") -> list[Entry]:
    """Two relations between things of one kind; `need` names a form that the first must have."""
    pool = [r for r in words.relations() if not need or need in r]
    first = rng.choice(pool)
    others = [
        r
        for r in words.relations()
        if r["kind"] == first["kind"] and r is not first and (not need or need in r)
    ]
    return [first, rng.choice(others)] if others else [first]


def world(
    words: Lexicon, rng: Random, need: str = "", size: int = 9
) -> tuple[list[str], list[Facts]]:
    relations = two_relations(words, rng, need)
    names = people_or(words, relations[0]["kind"], rng, size)
    style = rng.choice(STYLES)
    return names, [facts_of(r, names, rng, style) for r in relations]


def plain(words: Lexicon, rng: Random) -> list[Question]:
    """Who acts on X against on whom X acts, and how many."""
    names, facts = world(words, rng)
    data = graph_of(facts[0].relation["kind"], rng, *[f.lines for f in facts])
    first, rest, found = facts[0], facts[1:], []
    for name in rng.sample(names, len(names)):
        agents, patients = first.agents(name), first.patients(name)
        readings: dict[str, set[str]] = {
            "agents": agents,
            "patients": patients,
            "both": agents | patients,
        }
        for other in rest:
            readings |= {"other agents": other.agents(name), "other patients": other.patients(name)}
        asked = [
            ("agents", t) for _, t in wordings(words, "agent", first.relation, name, agents, rng)
        ]
        asked += [
            ("patients", t)
            for _, t in wordings(words, "patient", first.relation, name, patients, rng)
        ]
        also: dict[str, list[set[str]]] = {}
        if first.relation.get("prep") == "on" or first.relation.get("base") in ("contain", "own"):
            also = {
                "agents": [closure(first, name, True)],
                "patients": [closure(first, name, False)],
            }
        got = family(CATEGORY, data, readings, asked, also)
        counts = {
            "agents": {len(agents)},
            "patients": {len(patients)},
            "facts": {len(first.pairs)},
            "both": {len(agents | patients)},
        }
        totals = [
            ("agents", t)
            for _, t in wordings(words, "agent_count", first.relation, name, agents, rng)
        ]
        totals += [
            ("patients", t)
            for _, t in wordings(words, "patient_count", first.relation, name, patients, rng)
        ]
        if agents and patients:
            far = {side: [{len(s) for s in sets}] for side, sets in also.items()}
            got += family(CATEGORY, data, counts, rng.sample(totals, min(2, len(totals))), far)
        found += got
    return found


def closure(facts: Facts, name: str, up: bool) -> set[str]:
    """All that is reached from a name over any number of facts."""
    reached: set[str] = set()
    front = {name}
    while front:
        front = (facts.agents(*front) if up else facts.patients(*front)) - reached
        reached |= front
    return reached


def chain(words: Lexicon, rng: Random) -> list[Question]:
    """The N of the M of X against the M of the N of X, and against one step turned round."""
    names, facts = world(words, rng, "agent", 11)
    if len(facts) < 2:
        return []
    one, two = facts
    data = graph_of(one.relation["kind"], rng, one.lines, two.lines)
    found = []
    for name in names:
        via, under = two.agents(name), two.patients(name)
        if len(via) != 1:
            continue
        readings: dict[str, set[str]] = {
            "agent of agent": one.agents(*via),
            "patient of agent": one.patients(*via),
            "agent of patient": one.agents(*under),
            "swapped": two.agents(*one.agents(name)),
            "swapped, turned": two.patients(*one.agents(name)),
            "first only": one.agents(name),
            "second only": via,
        }
        up, down = readings["agent of agent"], readings["patient of agent"]
        value, reverse = slots(words, one.relation, len(up)), slots(words, one.relation, len(down))
        noun, _n2 = two.relation["agent"], two.relation["agents"]
        asked = [
            (
                "agent of agent",
                words.choose(
                    f"{value['Who']} {value['be_n']} the {value['N']} of the {noun} of {name}?",
                    f"Name the {value['N']} of the {noun} of {name}.",
                ),
            ),
            (
                "agent of agent",
                words.choose(
                    f"{value['Who']} {value['be_n']} {name}'s {noun}'s {value['N']}?",
                    f"{value['Who']} {value['be_n']} the {value['N']} of {name}'s {noun}?",
                ),
            ),
            (
                "patient of agent",
                words.choose(
                    f"{reverse['Whose']} {reverse['n']} {reverse['be_1']} {name}'s {noun}?",
                    f"{reverse['Whose']} {reverse['n']} {reverse['be_1']} the {noun} of {name}?",
                ),
            ),
        ]
        if "part" in one.relation:
            asked += [
                ("agent of agent", f"{value['Who']} {value['verb_q']} {name}'s {noun}?"),
                (
                    "patient of agent",
                    f"{reverse['Whom']} {reverse['does']} the {noun} of {name} {reverse['base']}?",
                ),
                (
                    "patient of agent",
                    f"{reverse['Who']} {reverse['be_q']} {reverse['part']} by {name}'s {noun}?",
                ),
            ]
        if "patient" in two.relation and len(under) == 1:
            after = slots(words, one.relation, len(readings["agent of patient"]))
            asked += [
                (
                    "agent of patient",
                    f"{after['Who']} {after['be_n']} the {after['N']} of {name}'s {two.relation['patient']}?",
                )
            ]
        got = family(CATEGORY, data, readings, asked)
        found += got
    return found


def preposition(words: Lexicon, rng: Random) -> list[Question]:
    """North of X against south of X; the facts are complete, so that steps need not be added up."""
    entry = rng.choice(words.relations("preposition"))
    kind = words.kinds[entry["kind"]]
    names = words.names(kind["names"], rng, 10)
    pairs = [
        (group[i], group[j])
        for group in (names[:5], names[5:])
        for i in range(5)
        for j in range(i + 1, 5)
    ]
    inverse = rng.random() < 0.5
    text, opposite = (
        (entry["inverse"], entry["text"]) if inverse else (entry["text"], entry["inverse"])
    )
    predicate = styled(rng.choice(("", "is ")) + text, rng.choice(STYLES))
    data = graph_of(kind["many"], rng, [(a, predicate, b) for a, b in pairs])
    found = []
    for name in names:
        readings: dict[str, set[str]] = {
            "heads": {a for a, b in pairs if b == name},
            "tails": {b for a, b in pairs if a == name},
        }
        asked = [
            (meaning, shape)
            for meaning, prep in (("heads", text), ("tails", opposite))
            for shape in (
                words.choose(
                    f"Which {kind['many']} are {prep} {name}?",
                    f"Name the {kind['many']} {prep} {name}.",
                ),
            )
        ]
        asked += [
            (meaning, f"{name} is {prep} which {kind['many']}?")
            for meaning, prep in (("tails", text), ("heads", opposite))
        ]
        counts: dict[str, set[int]] = {m: {len(s)} for m, s in readings.items()} | {
            "facts": {len(pairs)}
        }
        totals = [
            (m, f"How many {kind['many']} are {prep} {name}?")
            for m, prep in (("heads", text), ("tails", opposite))
        ]
        got = family(CATEGORY, data, readings, asked)
        if all(readings.values()):
            got += family(CATEGORY, data, counts, totals)
        found += got
    return found


def symmetric(words: Lexicon, rng: Random) -> list[Question]:
    """A relation that holds both ways but is written once: heads or tails alone are wrong."""
    entry = rng.choice(words.relations("symmetric"))
    kind = words.kinds[entry["kind"]]
    names = people_or(words, entry["kind"], rng, 8)
    pairs = acyclic_pairs(names, rng)
    predicate = styled(entry["key"].replace("_", " "), rng.choice(STYLES))
    data = graph_of(kind["many"], rng, [(a, predicate, b) for a, b in pairs])
    found = []
    for name in names:
        heads, tails = {a for a, b in pairs if b == name}, {b for a, b in pairs if a == name}
        readings = {"all": heads | tails, "heads": heads, "tails": tails}
        person, many = kind["one"] == "person", kind["many"]
        one = len(heads | tails) == 1
        asked, totals = [], []
        if "verb" in entry:
            verb, which = (entry["verb"], kind["one"]) if one else (entry["base"], many)
            asked += [
                ("all", f"Which {which} {verb} {name}?"),
                ("all", f"Which {which} does {name} {entry['base']}?"),
            ]
            totals += [
                ("all", f"How many {many} {entry['base']} {name}?"),
                ("all", f"How many {many} does {name} {entry['base']}?"),
            ]
        if "noun" in entry:
            noun = entry["noun"] if one else entry["nouns"]
            who, are = (
                ("Who" if person else f"Which {kind['one'] if one else many}"),
                "is" if one else "are",
            )
            asked += [
                ("all", f"{who} {are} {name}'s {noun}?"),
                ("all", f"{who} {are} the {noun} of {name}?"),
            ]
            totals += [("all", f"How many {entry['nouns']} does {name} have?")]
        got = family(CATEGORY, data, readings, asked)
        sizes: dict[str, set[int]] = {m: {len(s)} for m, s in readings.items()}
        got += family(CATEGORY, data, sizes, totals)
        found += got
    return found


def twofold(words: Lexicon, rng: Random) -> list[Question]:
    """A word that is verb and noun: `X host Y` is read by the kinds that the file states."""
    entry, *rest = rng.sample(words.relations("twofold"), 2)
    people = words.names("people", rng, 6)
    things = words.names(entry["names"], rng, 5)
    noun_frame = rng.random() < 0.5  # thing, word, doer: the doer is the thing's host
    lines: list[tuple[str, ...]] = []
    sets: list[list[tuple[str, str]]] = []
    for relation in (entry, *rest):
        pairs = {
            (rng.choice(people), thing) for thing in things for _ in range(rng.choice((1, 1, 2)))
        }
        sets.append(sorted(pairs))
        lines += [
            (t, relation["word"], p) if noun_frame else (p, relation["word"], t)
            for p, t in sorted(pairs)
        ]
    kinds: list[tuple[str, ...]] = [(p, "kind", entry["doer"]) for p in people]
    kinds += [(t, "kind", entry["thing"]) for t in things]
    data = graph_of(entry["things"], rng, lines, kinds)
    pairs_of, other = sets
    found = []
    for thing in things:
        got: dict[str, set[Value]] = {
            "doers": {p for p, t in pairs_of if t == thing},
            "other": {p for p, t in other if t == thing},
            "kind": {entry["thing"]},
        }
        one = len(got["doers"]) == 1
        noun, be = (entry["word"], "is") if one else (entry["many"], "are")
        found += family(
            CATEGORY,
            data,
            got,
            [
                ("doers", f"Who {entry['verb']} {thing}?"),
                ("doers", f"Who {be} the {noun} of {thing}?"),
                ("doers", f"By whom is {thing} {entry['part']}?"),
            ],
        )
    for person in people:
        got = {
            "things": {t for p, t in pairs_of if p == person},
            "other": {t for p, t in other if p == person},
            "kind": {entry["doer"]},
        }
        one = len(got["things"]) == 1
        which, be = (entry["thing"], "is") if one else (entry["things"], "are")
        found += family(
            CATEGORY,
            data,
            got,
            [
                ("things", f"Which {which} does {person} {entry['word']}?"),
                (
                    "things",
                    f"Which {which} {'has' if one else 'have'} {person} as {entry['word']}?",
                ),
                ("things", f"Which {which} {be} {entry['part']} by {person}?"),
            ],
        )
    return found


MAKERS = (plain, plain, chain, preposition, symmetric, twofold)
