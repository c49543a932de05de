"""9. Questions that the data cannot answer, next to questions of the same kind that they can."""

from __future__ import annotations

from random import Random

from .direction import STYLES, people_or
from .frames import facts_of, graph_of, slots, wordings
from .ledgers import ledger_of
from .lexicon import Entry, Lexicon
from .model import Graph, Question, Table, Value, tidy
from .negation import flag_phrases
from .sheets import Record, new_records, sheet_of
from .tenures import graph_of as tenure_graph
from .tenures import tenures_of

CATEGORY = "unanswerable"
FIELDS = ("group", "measure", "big", "event", "flag0", "flag1", "absent", "score")


def answered(data: Table | Graph, text: str, answers: list[Value], meaning: str) -> Question:
    return Question(CATEGORY, data, text, tidy(answers), meaning=meaning)


def unanswered(data: Table | Graph, text: str, meaning: str) -> Question:
    return Question(CATEGORY, data, text, [], answerable=False, meaning=meaning)


def value_question(
    topic: Entry, field: str, name: str, record: Record | None
) -> tuple[str, list[Value]]:
    """A question for one value of one thing, and the answer."""
    value = record[field] if record else None
    answer: list[Value] = [] if value is None else [value]
    if field == "event":
        past = topic["event"]["past"]
        text = (
            f"When was {name} {past.removeprefix('were ')}?"
            if "base" not in topic["event"]
            else f"When did {name} {topic['event']['base']}?"
        )
        return text, [value.isoformat()] if value else []
    if field.startswith("flag"):
        word = topic["flags"][int(field[-1])]["word"]
        return (f"Does {name} have {word}?" if topic["has"] == "have" else f"Is {name} {word}?"), [
            "yes" if value else "no"
        ]
    if field == "group":
        return topic["group"]["where"].format(x=name), answer
    if field == "measure":
        return (
            f"What is the {topic['measure']['noun']} of {name} in {topic['measure']['units']}?",
            answer,
        )
    noun = topic[field]["noun"]
    return f"What is the {noun} of {name}?", answer


def tables(words: Lexicon, rng: Random) -> list[Question]:
    """A column that the table has against one that it has not; a name that it has against one that it has not."""
    topic = rng.choice(words.topics)
    records = new_records(words, topic, rng, 12)
    strangers, records = records[:2], records[2:]
    there = rng.sample(FIELDS, 4)
    sheet = sheet_of(words, topic, records, rng, there, extra=0)
    data, plural = sheet.table, topic["plural"]
    gone = [f for f in FIELDS if f not in there]
    found: list[Question] = []
    for field in there:
        for record in rng.sample(records, 2):
            text, answers = value_question(topic, field, record["name"], record)
            if answers:
                found.append(answered(data, text, answers, "known value"))
        found.append(
            unanswered(
                data,
                value_question(topic, field, rng.choice(strangers)["name"], None)[0],
                "unknown name",
            )
        )
    found += [
        unanswered(
            data,
            value_question(topic, field, rng.choice(records)["name"], None)[0],
            "unknown property",
        )
        for field in gone
    ]
    for i in (0, 1):
        vp = flag_phrases(sheet, i)["yes"]
        has = f"flag{i}" in there
        names = sorted(sheet.names(lambda r: r[f"flag{i}"]))
        text = sheet.wording(words, rng, vp)
        if not has:
            found.append(unanswered(data, text, "unknown property"))
            found.append(unanswered(data, sheet.wording(words, rng, vp, True), "unknown property"))
        elif names:
            found.append(answered(data, text, list(names), "known property"))
    for field in ("measure", "big", "score"):
        noun, high = (
            topic[field]["noun"],
            words.adjective({"big": "greatest", "measure": "most", "score": "maximum"}[field]),
        )
        text = f"Which {topic['noun']} has the {high} {noun}?"
        values = [r[field] for r in records if r[field] is not None]
        best = [r["name"] for r in records if r[field] == max(values)]
        if field not in there:
            found.append(unanswered(data, text, "unknown property"))
            found.append(
                unanswered(data, f"What is the average {noun} of the {plural}?", "unknown property")
            )
        elif len(best) == 1:
            found.append(answered(data, text, list(best), "known property"))
    x = rng.choice(records)["name"]
    found.append(
        unanswered(
            data,
            f"When {topic['event']['other'].split()[0]} {x} {topic['event']['other'].split(' ', 1)[1]}?",
            "unknown property",
        )
    )
    return balanced(found, rng, 5)


def balanced(found: list[Question], rng: Random, each: int) -> list[Question]:
    """Neighbours: questions without an answer, of all meanings in turn, and to each one with an answer."""
    yes, no = [q for q in found if q.answerable], [q for q in found if not q.answerable]
    kinds: dict[str, list[Question]] = {}
    for q in rng.sample(no, len(no)):
        kinds.setdefault(q.meaning, []).append(q)
    turns = [group[i] for i in range(each) for group in kinds.values() if i < len(group)]
    chosen: list[Question] = []
    for i, missing in enumerate(turns[:each]):
        rest = [q for q in rng.sample(yes, len(yes)) if q not in chosen]
        if rest:
            aspect = missing.meaning.split()[-1]
            known = min(rest, key=lambda q: not q.meaning.endswith(aspect))
            known.group = missing.group = f"neighbours {i}"
            chosen += [missing, known]
    return chosen


def graphs(words: Lexicon, rng: Random) -> list[Question]:
    """A relation or a name that the facts have against one that they have not."""
    pool = [
        r
        for r in words.relations()
        if "base" in r and r["kind"] == "person" and r.get("order") != "chain"
    ]
    here, other, absent = rng.sample(pool, 3)
    names = people_or(words, "person", rng, 11)
    strangers, names = names[:2], names[2:]
    style = rng.choice(STYLES)
    facts = [facts_of(r, names, rng, style) for r in (here, other)]
    data = graph_of("people", rng, facts[0].lines, facts[1].lines)
    found = []
    for name in names:
        for known in facts:
            for side, answers in (("agent", known.agents(name)), ("patient", known.patients(name))):
                if answers:
                    found += [
                        answered(data, t, list(answers), "known relation")
                        for _, t in wordings(words, side, known.relation, name, answers, rng)[:2]
                    ]
        for side in ("agent", "patient"):
            found += [
                unanswered(data, t, "unknown relation")
                for _, t in wordings(words, side, absent, name, {"x"}, rng)[:2]
            ]
    for name in strangers:
        for side in ("agent", "patient"):
            found += [
                unanswered(data, t, "unknown name")
                for _, t in wordings(words, side, here, name, {"x"}, rng)[:2]
            ]
    agent, patient = rng.choice(facts[0].pairs)
    verb = slots(words, here, 1)
    if here.get("tense") == "past":
        found.append(
            unanswered(data, f"In which year did {agent} {verb['base']} {patient}?", "unknown time")
        )
        found.append(
            unanswered(data, f"Why did {agent} {verb['base']} {patient}?", "unknown reason")
        )
    else:
        found.append(
            unanswered(data, f"When did {agent} begin to {verb['base']} {patient}?", "unknown time")
        )
        found.append(
            unanswered(data, f"Why does {agent} {verb['base']} {patient}?", "unknown reason")
        )
    return balanced(found, rng, 4)


def offices(words: Lexicon, rng: Random) -> list[Question]:
    """An office, a thing or a time that the facts have against one that they have not."""
    office, absent = rng.sample(words.relations("office"), 2)
    tenures = tenures_of(words, rng, office, True)
    data = tenure_graph(tenures, office, True, rng)
    things = sorted({t.thing for t in tenures})
    missing = [n for n in words.half(office["names"]) if n not in things]
    found: list[Question] = []
    for thing in things:
        mine = sorted((t for t in tenures if t.thing == thing), key=lambda t: t.start)
        t = mine[rng.randrange(1, 4)]
        year = t.start.year + 1
        holders = [
            x.person for x in mine if x.start.year <= year and (x.end is None or x.end.year >= year)
        ]
        found.append(
            answered(
                data, f"Who {office['part']} the {thing} in {year}?", list(holders), "known office"
            )
        )
        found.append(
            answered(
                data,
                f"In which year did {t.person} begin {office['gerund']} the {thing}?",
                [t.start.year],
                "known office",
            )
        )
        found.append(
            unanswered(data, f"Who {absent['part']} the {thing} in {year}?", "unknown office")
        )
        found.append(
            unanswered(
                data,
                f"Who {office['part']} the {thing} in {mine[0].start.year - rng.randrange(5, 30)}?",
                "unknown time",
            )
        )
        found.append(
            unanswered(
                data, f"Who {office['part']} the {rng.choice(missing)} in {year}?", "unknown name"
            )
        )
        found.append(
            unanswered(
                data, f"Why did {t.person} stop {office['gerund']} the {thing}?", "unknown reason"
            )
        )
    return balanced(found, rng, 4)


def acts(words: Lexicon, rng: Random) -> list[Question]:
    """A person or a property that the rows have against one that they have not."""
    ledger = ledger_of(words, rng)
    w = ledger.words
    strangers = [n for n in words.half("people") if not any(n in a for a in ledger.agents)]
    found: list[Question] = []
    for agent in rng.sample(ledger.agents, 3):
        items = sum(a[2] for a in ledger.acts if a[0] == agent)
        found.append(
            answered(
                ledger.table,
                f"How many {w['unit']} did {agent} {w['base']}?",
                [items],
                "known name",
            )
        )
        found.append(
            answered(
                ledger.table,
                f"Which {w['things']} did {agent} {w['base']}?",
                list(ledger.things_of(agent)),
                "known name",
            )
        )
    do = {"placed": "place", "made": "make", "concluded": "conclude", "carried out": "carry out"}[
        w["made"]
    ]
    row = rng.choice(ledger.table.rows)
    number, agent = row[w["row"]], row[w["agent"]]
    found += [
        unanswered(
            ledger.table,
            f"Which {w['things']} did {rng.choice(strangers)} {w['base']}?",
            "unknown name",
        ),
        unanswered(
            ledger.table,
            f"At which {w['place']} did {rng.choice(strangers)} {do} a {w['row']}?".replace(
                " a o", " an o"
            ),
            "unknown name",
        ),
        answered(
            ledger.table,
            f"Which {w['agent']} {w['made']} {w['row']} {number}?",
            [agent],
            "known property",
        ),
        answered(
            ledger.table,
            f"At which {w['place']} was {w['row']} {number} {w['made']}?",
            [row[w["place"]]],
            "known property",
        ),
    ]
    found += [
        unanswered(
            ledger.table,
            t.format(agent=agent, number=number, **{k: w[k] for k in ("row", "made", "things")}),
            "unknown property",
        )
        for t in words.unknown
    ]
    return balanced(found, rng, 4)


MAKERS = (tables, tables, graphs, offices, acts)
