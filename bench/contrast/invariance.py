"""10. Changes that must not change the answer: order, file name, coding, form of words, politeness."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from . import direction, flags, groups, missing, negation, periods, quantifiers, scales, tenures
from .frames import facts_of, graph_of, wordings
from .lexicon import Lexicon
from .model import Graph, Question, Table, family
from .negation import flag_phrases
from .sheets import new_records, sheet_of

CATEGORY = "invariance"
SOURCES = [
    maker
    for module in (
        direction,
        negation,
        quantifiers,
        periods,
        tenures,
        scales,
        groups,
        flags,
        missing,
    )
    for maker in module.MAKERS
]
SINGULAR = {
    "are": "is",
    "have": "has",
    "were": "was",
    "do": "does",
    "work": "works",
    "cross": "crosses",
    "stand": "stands",
    "come": "comes",
    "study": "studies",
    "weigh": "weighs",
    "cost": "costs",
    "earn": "earns",
    "hold": "holds",
    "deliver": "delivers",
    "pay": "pays",
    "opened": "opened",
    "enrolled": "enrolled",
}


def pair_of(
    first: Question, meaning: str, data: Table | Graph | None = None, text: str = ""
) -> list[Question]:
    """A question and its changed form."""
    one = replace(first, category=CATEGORY)
    two = replace(one, data=data or one.data, text=text or one.text, partner=one)
    one.meaning, two.meaning = "base", meaning
    return [one, two]


def shuffled(data: Table | Graph, rng: Random) -> Table | Graph:
    if isinstance(data, Graph):
        return Graph(rng.sample(data.facts, len(data.facts)), data.name)
    return Table(data.columns, rng.sample(data.rows, len(data.rows)), data.name)


def other_columns(data: Table, rng: Random) -> Table:
    columns = data.columns
    while columns == data.columns:
        columns = rng.sample(data.columns, len(data.columns))
    return Table(columns, data.rows, data.name)


def renamed(data: Table | Graph, words: Lexicon, rng: Random) -> Table | Graph:
    name = rng.choice(words.half("files"))
    return (
        Graph(data.facts, name) if isinstance(data, Graph) else Table(data.columns, data.rows, name)
    )


def polite(text: str, words: Lexicon, rng: Random) -> str:
    """The question as a request; `which`, `who` and `how many` keep their order of words."""
    if (
        re.match(
            r"(Which (of the )?\w+ (are|have|were|opened|enrolled)|Who (\w+s|\w+ed) |"
            r"How many (of the )?\w+ (are|have|were) )",
            text,
        )
        and text.endswith("?")
        and "there" not in text
        and " by?" not in text
    ):
        lower = text[0].lower() + text[1:]
        return words.choose(f"Could you please tell me {lower}", f"Can you tell me {lower}")
    if text.endswith("."):
        return (
            "Please " + text[0].lower() + text[1:]
            if words.split == "seen"
            else f"{text[:-1]}, please."
        )
    return rng.choice(words.templates("polite", "prefix")).format(q=text)


def singular(text: str, words: Lexicon) -> str:
    """`Which hotels are …` as `Which hotel is …`, or nothing."""
    for topic in words.topics:
        for start in (f"Which {topic['plural']} ", f"Which of the {topic['plural']} "):
            if text.startswith(start):
                verb, _, rest = text.removeprefix(start).partition(" ")
                if verb in SINGULAR and f" {topic['plural']}" not in rest:
                    return f"Which {topic['noun']} {SINGULAR[verb]} {rest}"
    return ""


def changed(words: Lexicon, rng: Random) -> list[Question]:
    """A question of another category, with its data or its words changed."""
    bundle = rng.choice(SOURCES)(words, rng)
    found: list[Question] = []
    for question in rng.sample(bundle, min(2, len(bundle))):
        data, text = question.data, question.text
        one = singular(text, words)
        ways: list[Callable[[], list[Question]]] = [
            lambda: pair_of(question, "order of rows", shuffled(data, rng)),
            lambda: pair_of(question, "name of the file", renamed(data, words, rng)),
            lambda: pair_of(question, "polite form", text=polite(text, words, rng)),
            lambda: pair_of(question, "capitals", text=text[0].lower() + text[1:].rstrip("?.")),
        ]
        if isinstance(data, Table):
            ways += [lambda: pair_of(question, "order of columns", other_columns(data, rng))] * 2
        if one:
            ways += [lambda: pair_of(question, "singular", text=one)] * 5
        found += rng.choice(ways)()
    return found


def named(question: Question) -> set[str]:
    """The names of the data that a question has."""
    data = question.data
    cells = (
        {end for fact in data.facts for end in (fact[0], fact[2])}
        if isinstance(data, Graph)
        else {cell for row in data.rows for cell in row.values()}
    )
    return (
        {cell for cell in cells if re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", question.text)}
        if cells
        else set()
    )


def reworded(words: Lexicon, rng: Random) -> list[Question]:
    """Two forms of words for one meaning, as in active and passive."""
    bundle = rng.choice(
        (
            direction.plain,
            direction.plain,
            direction.chain,
            direction.twofold,
            quantifiers.people,
            quantifiers.acts,
            negation.never,
            negation.nobody,
            tenures.by_year,
        )
    )(words, rng)
    rng.shuffle(bundle)
    found: list[Question] = []
    used: set[int] = set()
    for i, one in enumerate(bundle):
        for j in range(i + 1, len(bundle)):
            two = bundle[j]
            same = (one.meaning, one.answers, one.wrong, one.also) == (
                two.meaning,
                two.answers,
                two.wrong,
                two.also,
            )
            if (
                same
                and one.text != two.text
                and named(one) == named(two)
                and not used & {i, j}
                and re.findall(r"\d+", one.text) == re.findall(r"\d+", two.text)
            ):
                used |= {i, j}
                found += pair_of(one, "form of words", text=two.text)
    return found[:4]


def recoded(words: Lexicon, rng: Random) -> list[Question]:
    """The same rows with other codes for yes and no, other headers and another order."""
    topic = rng.choice(words.topics)
    records = new_records(words, topic, rng, 10)
    found: list[Question] = []
    while not found:
        for record in records:
            record["flag0"], record["flag1"] = rng.random() < 0.5, rng.random() < 0.5
        one, two = (
            sheet_of(words, topic, rng.sample(records, 10), rng, ["flag0", "flag1", "group"])
            for _ in (1, 2)
        )
        i = rng.randrange(2)
        phrases = flag_phrases(one, i)
        yes = one.names(lambda r: r[f"flag{i}"])
        readings = {"yes": yes, "no": one.names(lambda r: True) - yes}
        got = family(
            CATEGORY,
            one.table,
            readings,
            [
                ("yes", one.wording(words, rng, phrases["yes"])),
                ("no", one.wording(words, rng, phrases["no"])),
            ],
        )
        found = [
            p
            for q in got
            if one.style["codes"] != two.style["codes"]
            for p in pair_of(q, "coding of flags", two.table)
        ]
    return found


def reformed(words: Lexicon, rng: Random) -> list[Question]:
    """The same facts under another form of the relation."""
    names, facts = direction.world(words, rng)
    first = facts[0]
    if "base" not in first.relation or "prep" in first.relation:
        return []
    other = first
    while other.form == first.form:
        other = facts_of(first.relation, names, rng, rng.choice(direction.STYLES), first.pairs)
    kind = first.relation["kind"]
    data, data2 = graph_of(kind, rng, first.lines), graph_of(kind, rng, other.lines)
    found: list[Question] = []
    for name in rng.sample(names, 3):
        agents, patients = first.agents(name), first.patients(name)
        asked = [
            (side + "s", t)
            for side, answers in (("agent", agents), ("patient", patients))
            for _, t in wordings(words, side, first.relation, name, answers, rng)
        ]
        got = family(
            CATEGORY,
            data,
            {"agents": agents, "patients": patients, "both": agents | patients},
            asked,
        )
        if got and first.relation["base"] not in ("contain", "own"):
            found += pair_of(rng.choice(got), "form of the relation", data2)
    return found


MAKERS = (changed, changed, changed, reworded, reworded, recoded, reformed)
