"""2. Negation: not, never, no, neither, other than, without; who acts on nobody."""

from __future__ import annotations

from random import Random

from .frames import Facts, facts_of, graph_of
from .ledgers import ledger_of
from .lexicon import Lexicon
from .model import Question, family
from .sheets import Sheet, new_records, sheet_of

CATEGORY = "negation"


def flag_phrases(sheet: Sheet, i: int) -> dict[str, str]:
    """Verb phrases and noun phrases for a flag being true or false."""
    flag = sheet.topic["flags"][i]
    that = "who" if sheet.topic.get("who") else "that"
    if sheet.topic["has"] == "have":
        return {
            "yes": f"have {flag['word']}",
            "no": f"have no {flag['bare']}",
            "not": f"do not have {flag['word']}",
            "with": f"with {flag['word']}",
            "without": f"without {flag['word']}",
        }
    return {
        "yes": f"are {flag['word']}",
        "no": f"are not {flag['word']}",
        "not": f"are not {flag['word']}",
        "with": f"{that} are {flag['word']}",
        "without": f"{that} are not {flag['word']}",
    }


def flags_and_groups(words: Lexicon, rng: Random) -> list[Question]:
    """No, without, neither, not in, in none other than."""
    topic = rng.choice(words.topics)
    sheet = sheet_of(
        words, topic, new_records(words, topic, rng, 12), rng, ["flag0", "flag1", "group"]
    )
    group = topic["group"]
    value, second = rng.sample(sorted({r["group"] for r in sheet.records}), 2)
    one, two = flag_phrases(sheet, 0), flag_phrases(sheet, 1)
    names = sheet.names
    a, b = names(lambda r: r["flag0"]), names(lambda r: r["flag1"])
    everything = names(lambda r: True)
    inside = names(lambda r: r["group"] == value)
    also_inside = names(lambda r: r["group"] == second)
    readings = {
        "a": a,
        "not a": everything - a,
        "b": b,
        "both": a & b,
        "neither": everything - a - b,
        "not both": everything - (a & b),
        "not b": everything - b,
        "a without b": a - b,
        "b without a": b - a,
        "inside": inside,
        "outside": everything - inside,
        "inside without a": inside - a,
        "inside with a": inside & a,
        "outside with a": a - inside,
        "outside without a": everything - inside - a,
        "neither group": everything - inside - also_inside,
    }
    bare = [f["word"] for f in topic["flags"]]
    but_not = f"not {bare[1]}" if topic["has"] == "are" else f"no {topic['flags'][1]['bare']}"
    have = topic["has"]
    phrases = {
        "not a": [one["no"], one["not"]],
        "not b": [two["no"], two["not"]],
        "neither": [f"{have} neither {bare[0]} nor {bare[1]}"],
        "outside": [group["neg"].format(v=value)],
        "inside": [group["vp"].format(v=value)],
        "neither group": [f"{group['vp'].format(v='neither ' + value)} nor {second}"],
    }
    asked = [(m, sheet.wording(words, rng, rng.choice(vps))) for m, vps in phrases.items()]
    plural = topic["plural"]
    asked += [
        (
            "inside without a",
            f"{words.choose('Which', 'Which of the')} {plural} {one['without']} {group['vp'].format(v=value)}?",
        ),
        (
            "a without b",
            sheet.wording(
                words,
                rng,
                f"{one['yes']} but {but_not}",
            ),
        ),
        (
            "outside with a",
            f"{words.choose('Which', 'Which of the')} {plural} {one['with']} {group['neg'].format(v=value)}?",
        ),
        (
            "outside without a",
            f"{words.choose('Which', 'Which of the')} {plural} {one['without']} {group['neg'].format(v=value)}?",
        ),
    ]
    found = family(CATEGORY, sheet.table, readings, asked)
    sizes = {m: {len(s)} for m, s in readings.items()}
    core = {m: sizes[m] for m in ("a", "not a")} | {"rows": {len(sheet.records)}}
    found += family(
        CATEGORY, sheet.table, core, [("not a", sheet.wording(words, rng, one["no"], True))]
    )
    core = {m: sizes[m] for m in ("inside", "outside")} | {"rows": {len(sheet.records)}}
    found += family(
        CATEGORY,
        sheet.table,
        core,
        [("outside", sheet.wording(words, rng, group["neg"].format(v=value), True))],
    )
    return found


def never(words: Lexicon, rng: Random) -> list[Question]:
    """Never A (no row of the agent has A) against other than A (some row has something else)."""
    ledger = ledger_of(words, rng)
    w = ledger.words
    thing, second = rng.sample(ledger.things, 2)
    agents, who = set(ledger.agents), w["agents"]
    did = ledger.agents_of(thing)
    others = ledger.agents_of(*[t for t in ledger.things if t != thing])
    readings = {
        "did": did,
        "never": agents - did,
        "other": others,
        "only": did - others,
        "second": ledger.agents_of(second),
        "never second": agents - ledger.agents_of(second),
        "neither": agents - did - ledger.agents_of(second),
        "either": did | ledger.agents_of(second),
    }
    which = words.choose("Which", "Which of the")
    past, base = w["past"], w["base"]
    asked = [
        ("did", f"{which} {who} {past} {thing}?"),
        ("never", f"{which} {who} never {past} {thing}?"),
        ("never", f"{which} {who} did not {base} {thing}?"),
        (
            "never",
            (
                f"{which} {who} did not {base} any {thing}?"
                if " " not in thing and base != "repair"
                else f"{which} {who} have never {past} {thing}?"
            ),
        ),
        ("other", f"{which} {who} {past} something other than {thing}?"),
        (
            "other",
            f"{which} {who} {past} {words.choose('a ' + w['thing'], 'something')} other than {thing}?",
        ),
        ("neither", f"{which} {who} {past} neither {thing} nor {second}?"),
    ]
    found = family(CATEGORY, ledger.table, readings, asked)
    person = rng.choice(ledger.agents)
    mine, all_things = ledger.things_of(person), set(ledger.things)
    without = {t for a, t, _, _ in ledger.acts if a != person}
    things = {"mine": mine, "not mine": all_things - mine, "of others": without}
    found += family(
        CATEGORY,
        ledger.table,
        things,
        [
            ("not mine", f"{which} {w['things']} did {person} never {base}?"),
            ("not mine", f"{which} {w['things']} were never {past} by {person}?"),
            ("of others", f"{which} {w['things']} were {past} by {who} other than {person}?"),
            ("of others", f"{which} {w['things']} did {who} other than {person} {base}?"),
        ],
    )
    place = rng.choice(ledger.places)
    here = {t for _, t, _, p in ledger.acts if p == place}
    elsewhere = {t for _, t, _, p in ledger.acts if p != place}
    found += family(
        CATEGORY,
        ledger.table,
        {"here": here, "not here": all_things - here, "elsewhere": elsewhere},
        [
            ("not here", f"{which} {w['things']} did no {w['agent']} {base} {ledger.at(place)}?"),
            ("not here", f"{which} {w['things']} were never {past} {ledger.at(place)}?"),
        ],
    )
    sizes = {m: {len(readings[m])} for m in ("did", "never", "other")}
    sizes["rows"] = {sum(t != thing for _, t, _, _ in ledger.acts)}
    found += family(
        CATEGORY,
        ledger.table,
        sizes,
        [
            ("never", f"How many {who} never {past} {thing}?"),
            ("never", f"How many of the {who} have never {past} {thing}?"),
        ],
    )
    return found


def role_world(
    words: Lexicon, rng: Random
) -> tuple[Facts, dict[str, str], list[str], list[tuple[str, ...]]]:
    """Facts among people of two stated kinds: the facts, the kind of each, the two plurals, the kind facts."""
    relation = rng.choice([r for r in words.relations() if r["kind"] == "person" and "base" in r])
    names = words.names("full" if rng.random() < 0.4 else "people", rng, 11)
    one, two = rng.sample(words.relations("role"), 2)
    kind = {n: (one if i < 6 else two)["one"] for i, n in enumerate(names)}
    facts = facts_of(relation, names, rng, rng.choice(("snake", "space")), role_pairs(names, rng))
    key = one["key"]
    return facts, kind, [one["many"], two["many"]], [(n, key, k) for n, k in kind.items()]


def role_pairs(names: list[str], rng: Random) -> list[tuple[str, str]]:
    """Pairs in which some act on nobody, some on one kind alone, and one on all of the second kind."""
    order = rng.sample(names, len(names))
    pairs = {
        (order[i], order[j])
        for i in range(len(order))
        for j in range(i + 1, len(order))
        if i not in (3, 6, 8) and rng.random() < 0.3
    }
    chief, others = names[0], names[6:]
    pairs = {(a, p) for a, p in sorted(pairs) if p != chief or rng.random() < 0.5}
    pairs |= {(chief, o) for o in others}
    return sorted(pairs - {(o, chief) for o in others})


def nobody(words: Lexicon, rng: Random) -> list[Question]:
    """Who acts on nobody, among those of a stated kind."""
    facts, kind, (many, others), kinds = role_world(words, rng)
    data = graph_of(many, rng, facts.lines, kinds)
    r = facts.relation
    past, prep = r.get("tense") == "past", (" " + r["prep"]) if "prep" in r else ""
    verb = (r["verb"] if past else r["base"]) + prep
    do = "did" if past else "do"
    does = "did" if past else "does"
    base = r["base"] + prep
    are = "were" if past else "are"
    role = {n for n, k in kind.items() if k == next(iter(kind.values()))}
    rest = set(kind) - role
    active = {a for a, _ in facts.pairs}
    passive = {p for _, p in facts.pairs}
    y = rng.choice(sorted(passive - active) or sorted(role))
    on_rest = facts.agents(*rest)
    by_rest = facts.patients(*rest)
    x = rng.choice(sorted(rest))
    readings = {
        "idle": role - active,
        "idle of all": set(kind) - active,
        "free": role - passive,
        "free of all": set(kind) - passive,
        "active": role & active,
        "none of the rest": role - on_rest,
        "some of the rest": role & on_rest,
        "by none of the rest": role - by_rest,
    }
    which = words.choose("Which", "Which of the")
    asked = [
        (
            "idle",
            words.choose(f"Which {many} {verb} nobody?", f"Which {many} {do} not {base} anyone?"),
        ),
        (
            "idle",
            words.choose(
                f"Which {many} never {verb} anybody?", f"Name the {many} who {verb} nobody."
            ),
        ),
        (
            "idle of all",
            words.choose(f"Which people {verb} nobody?", f"Which people {do} not {base} anyone?"),
        ),
        ("none of the rest", f"{which} {many} {verb} no {others}?"),
        ("none of the rest", f"{which} {many} {do} not {base} any {others}?"),
        (
            "by none of the rest",
            f"{which} {many} {does} no {next(iter(kind[n] for n in sorted(rest)))} {base}?",
        ),
    ]
    if "part" in r:
        asked += [
            (
                "free",
                words.choose(
                    f"Which {many} {are} {r['part']} by nobody?",
                    f"Which {many} {are} not {r['part']} by anyone?",
                ),
            ),
            (
                "by none of the rest",
                f"{which} {many} {are} {r['part']} by no {next(iter(kind[n] for n in sorted(rest)))}?",
            ),
        ]
    found = family(CATEGORY, data, readings, asked)
    got, sent = facts.patients(x) & role, facts.agents(x) & role
    pairwise = {
        "patients": got,
        "not patients": role - got,
        "agents": sent,
        "not agents": role - sent,
        "of all": set(kind) - got,
        "of all agents": set(kind) - sent,
    }
    found += family(
        CATEGORY,
        data,
        pairwise,
        [
            ("not patients", f"{which} {many} {does} {x} not {base}?"),
            ("not agents", f"{which} {many} {do} not {base} {x}?"),
        ],
    )
    beside = {a for a, p in facts.pairs if p != y}
    found += family(
        CATEGORY,
        data,
        {
            "someone else": beside,
            "others on anyone": active - {y},
            "on y": facts.agents(y),
            "never y": set(kind) - facts.agents(y),
        },
        [
            (
                "someone else",
                words.choose(f"Who {r['verb']}{prep}", f"Which people {verb}")
                + f" someone other than {y}?",
            )
        ],
    )
    sizes = {m: {len(readings[m])} for m in ("idle", "idle of all", "free", "active")}
    found += family(
        CATEGORY,
        data,
        sizes,
        [
            ("idle", f"How many {many} {verb} nobody?"),
            ("idle", f"How many {many} {do} not {base} anyone?"),
        ],
    )
    return found


MAKERS = (flags_and_groups, never, nobody)
