"""3. Quantifiers: only, both, either, all, every, except, but not, at least two, the same … as."""

from __future__ import annotations

from random import Random

from .direction import STYLES, people_or
from .frames import facts_of, graph_of, slots
from .ledgers import ledger_of
from .lexicon import Lexicon
from .model import Question, family
from .negation import role_world
from .sheets import new_records, sheet_of

CATEGORY = "quantifiers"


def acts(words: Lexicon, rng: Random) -> list[Question]:
    """Only A, A, both, either, all, except, at least two kinds, over rows of acts."""
    ledger = ledger_of(words, rng)
    w = ledger.words
    a, b = rng.sample(ledger.things, 2)
    only_thing = ledger.things[0] if rng.random() < 0.6 else a
    agents = set(ledger.agents)
    of = {x: ledger.things_of(x) for x in ledger.agents}
    rows = ledger.rows_by(0)
    did_a, did_b = ledger.agents_of(a), ledger.agents_of(b)
    readings = {
        "a": did_a,
        "b": did_b,
        "both": did_a & did_b,
        "either": did_a | did_b,
        "exactly one": did_a ^ did_b,
        "a not b": did_a - did_b,
        "b not a": did_b - did_a,
        "only thing": {x for x in agents if of[x] == {only_thing}},
        "that thing": ledger.agents_of(only_thing),
        "all": {x for x in agents if of[x] == set(ledger.things)},
        "any": agents,
        "two kinds": {x for x in agents if len(of[x]) >= 2},
        "two rows": {x for x in agents if rows[x] >= 2},
        "exactly two kinds": {x for x in agents if len(of[x]) == 2},
        "one kind": {x for x in agents if len(of[x]) == 1},
        "three kinds": {x for x in agents if len(of[x]) >= 3},
    }
    who, past = w["agents"], w["past"]
    which = words.choose("Which", "Which of the")
    asked = [
        ("both", f"{which} {who} {past} both {a} and {b}?"),
        ("either", f"{which} {who} {past} either {a} or {b}?"),
        ("exactly one", f"{which} {who} {past} either {a} or {b}, but not both?"),
        ("either", f"{which} {who} {past} {a} or {b} or both?"),
        ("a not b", f"{which} {who} {past} {a} but not {b}?"),
        ("b not a", f"{which} {who} {past} {b} but never {a}?"),
        ("only thing", f"{which} {who} {past} only {only_thing}?"),
        (
            "only thing",
            f"{which} {who} {past} {words.choose('nothing but', 'nothing except')} {only_thing}?",
        ),
        ("that thing", f"{which} {who} {past} {only_thing}?"),
        ("all", f"{which} {who} {past} {words.choose('every', 'each')} {w['thing']}?"),
        ("all", f"{which} {who} {past} all of the {w['things']}?"),
        ("two kinds", f"{which} {who} {past} at least two different {w['things']}?"),
        ("exactly two kinds", f"{which} {who} {past} exactly two different {w['things']}?"),
    ]
    also = {"either": [did_a ^ did_b]}
    found = list(family(CATEGORY, ledger.table, readings, asked, also))
    for question in found:
        if "or both" in question.text:
            question.also = []
    person = rng.choice(sorted(did_a))
    found += family(
        CATEGORY,
        ledger.table,
        {
            "rest": did_a - {person},
            "all a": did_a,
            "not a": agents - did_a,
            "all others": agents - {person},
        },
        [
            ("rest", f"Who {words.choose('except', 'apart from')} {person} {past} {a}?"),
            ("rest", f"{which} {who} other than {person} {past} {a}?"),
        ],
    )
    one, two = rng.sample(ledger.agents, 2)
    t1, t2 = of[one], of[two]
    found += family(
        CATEGORY,
        ledger.table,
        {
            "common": t1 & t2,
            "any of both": t1 | t2,
            "one only": t1 - t2,
            "two only": t2 - t1,
            "t1": t1,
            "t2": t2,
        },
        [
            ("common", f"{which} {w['things']} did both {one} and {two} {w['base']}?"),
            ("common", f"{which} {w['things']} were {past} by both {one} and {two}?"),
            ("one only", f"{which} {w['things']} did {one} but not {two} {w['base']}?"),
            ("two only", f"{which} {w['things']} were {past} by {two} but not by {one}?"),
            ("any of both", f"{which} {w['things']} did {one} or {two} {w['base']}?"),
        ],
        {"any of both": [t1 ^ t2]},
    )
    sole = {t for t in ledger.things if ledger.agents_of(t) == {one}}
    popular = {t for t in ledger.things if ledger.agents_of(t) == agents}
    found += family(
        CATEGORY,
        ledger.table,
        {"sole": sole, "t1": t1, "popular": popular},
        [
            ("sole", f"{which} {w['things']} did only {one} {w['base']}?"),
            ("sole", f"{which} {w['things']} were {past} only by {one}?"),
        ],
    )
    return found


def people(words: Lexicon, rng: Random) -> list[Question]:
    """Both, only, except, the same … as, at least two, over facts."""
    relation = rng.choice([r for r in words.relations() if "part" in r and r["base"] != "contain"])
    names = people_or(words, relation["kind"], rng, 8)
    pairs = {(rng.choice(names[:4]), n) for n in names for _ in range(2)}
    pairs = {(a, p) for a, p in pairs if a != p and (p, a) not in pairs}
    facts = facts_of(relation, names, rng, rng.choice(STYLES), sorted(pairs))
    data = graph_of(words.kinds[relation["kind"]]["many"], rng, facts.lines)
    x, y = rng.sample(sorted({p for _, p in pairs}), 2)
    ax, ay = facts.agents(x), facts.agents(y)
    m, n = rng.sample(sorted({a for a, _ in pairs}), 2)
    pm, pn = facts.patients(m), facts.patients(n)
    counts = {name: len(facts.patients(name)) for name in names}
    back = {name: len(facts.agents(name)) for name in names}
    do = "did" if relation.get("tense") == "past" else "do"
    found: list[Question] = []

    def of(answers: set[str]) -> dict[str, str]:
        return slots(words, relation, len(answers))

    readings = {
        "x": ax,
        "y": ay,
        "both": ax & ay,
        "either": ax | ay,
        "x not y": ax - ay,
        "y not x": ay - ax,
        "turned": facts.patients(x) & facts.patients(y),
    }
    s = {k: of(v) for k, v in readings.items()}
    found += family(
        CATEGORY,
        data,
        readings,
        [
            ("both", "{Who} {verb_q} both {x} and {y}?".format(**s["both"], x=x, y=y)),
            (
                "both",
                words.choose(
                    "{By_whom} {be_m} both {x} and {y} {part}?",
                    "{Who} {be_m} both {x} and {y} {part} by?",
                ).format(**s["both"], x=x, y=y),
            ),
            ("either", "{Who} {verb_q} either {x} or {y}?".format(**s["either"], x=x, y=y)),
            ("x not y", "{Who} {verb_q} {x} but not {y}?".format(**s["x not y"], x=x, y=y)),
            ("y not x", "{Who} {verb_q} {y} but not {x}?".format(**s["y not x"], x=x, y=y)),
        ],
        {"either": [ax ^ ay]},
    )
    readings = {
        "m": pm,
        "n": pn,
        "both": pm & pn,
        "either": pm | pn,
        "only m": {p for p in pm if facts.agents(p) == {m}},
        "m not n": pm - pn,
        "n not m": pn - pm,
        "turned": facts.agents(m),
    }
    s = {k: of(v) for k, v in readings.items()}
    found += family(
        CATEGORY,
        data,
        readings,
        [
            ("both", "{Who} {be_q} {part} by both {u} and {w}?".format(**s["both"], u=m, w=n)),
            ("both", f"{{Whom}} {do} both {{u}} and {{w}} {{base}}?".format(**s["both"], u=m, w=n)),
            (
                "m not n",
                "{Who} {be_q} {part} by {u} but not by {w}?".format(**s["m not n"], u=m, w=n),
            ),
            ("n not m", "{Whom} {does} {w} but not {u} {base}?".format(**s["n not m"], u=m, w=n)),
            ("only m", "{Who} {be_q} {part} only by {u}?".format(**s["only m"], u=m)),
            (
                "only m",
                (
                    "{Who} {be_q} {part} by nobody but {u}?".format(**s["only m"], u=m)
                    if relation["kind"] == "person"
                    else "{Who} {be_q} {part} by {u} alone?".format(**s["only m"], u=m)
                ),
            ),
        ],
    )
    if ax:
        k = rng.choice(sorted(ax))
        rest = ax - {k}
        found += family(
            CATEGORY,
            data,
            {"rest": rest, "all": ax, "turned": facts.patients(x) - {k}},
            [
                (
                    "rest",
                    "{Who} {w} {k} {verb_q} {x}?".format(
                        **of(rest), k=k, x=x, w=words.choose("except", "other than")
                    ),
                )
            ],
        )
    readings2 = {
        "acts on two": {k for k, v in counts.items() if v >= 2},
        "acts on any": {k for k, v in counts.items() if v},
        "exactly two": {k for k, v in counts.items() if v == 2},
        "more": {k for k, v in counts.items() if v > 2},
        "exactly one": {k for k, v in counts.items() if v == 1},
        "two act": {k for k, v in back.items() if v >= 2},
        "exactly two act": {k for k, v in back.items() if v == 2},
        "one acts": {k for k, v in back.items() if v == 1},
    }
    s = {k: of(v) for k, v in readings2.items()}
    found += family(
        CATEGORY,
        data,
        readings2,
        [
            ("acts on two", "{Who} {verb_q} at least two {many}?".format(**s["acts on two"])),
            ("more", "{Who} {verb_q} more than two {many}?".format(**s["more"])),
            ("exactly two", "{Who} {verb_q} exactly two {many}?".format(**s["exactly two"])),
            ("two act", "{Who} {be_q} {part} by at least two {many}?".format(**s["two act"])),
            (
                "one acts",
                "{Who} {be_q} {part} by exactly one {one}?".format(
                    **s["one acts"], one=words.kinds[relation["kind"]]["one"]
                ),
            ),
        ],
    )
    if "agent" in relation and len(ax) == 1:
        same = facts.patients(*ax) - {x}
        form = words.choose(
            "{Who} {has_q} the same {n} as {x}?", "Name {those_who} {has_n} the same {n} as {x}."
        )
        found += family(
            CATEGORY,
            data,
            {"same": same, "agents": ax, "turned": facts.patients(x), "all": {p for _, p in pairs}},
            [("same", form.format(**of(same), x=x))],
            {"same": [facts.patients(*ax)]},
        )
    return found


def roles(words: Lexicon, rng: Random) -> list[Question]:
    """Every, all, only and at least two, over people of stated kinds."""
    facts, kind, (many, others), kinds = role_world(words, rng)
    data = graph_of(many, rng, facts.lines, kinds)
    r = facts.relation
    past, prep = r.get("tense") == "past", (" " + r["prep"]) if "prep" in r else ""
    verb = (r["verb"] if past else r["base"]) + prep
    single = r["verb"] + prep
    first = next(iter(kind.values()))
    role = {n for n, k in kind.items() if k == first}
    rest = set(kind) - role
    other = next(iter(kind[n] for n in sorted(rest)))
    of = {n: facts.patients(n) for n in kind}
    readings = {
        "every": {n for n in kind if rest <= of[n]},
        "some": {n for n in kind if of[n] & rest},
        "role some": {n for n in role if of[n] & rest},
        "only": {n for n in role if of[n] and of[n] <= rest},
        "only own": {n for n in role if of[n] and of[n] <= role},
        "two": {n for n in role if len(of[n] & rest) >= 2},
        "two of any": {n for n in role if len(of[n]) >= 2},
        "both kinds": {n for n in kind if of[n] & rest and of[n] & role},
    }
    asked = [
        ("every", f"Who {single} {words.choose('every', 'each')} {other}?"),
        ("every", f"Who {single} all of the {others}?"),
        ("only", f"Which {many} {verb} {words.choose('only', 'nobody but')} {others}?"),
        ("only own", f"Which {many} {verb} only {words.choose('other ', '')}{many}?"),
        ("two", f"Which {many} {verb} at least two {others}?"),
        ("role some", f"Which {many} {verb} at least one {other}?"),
        ("both kinds", f"Who {single} both {many} and {others}?"),
        ("role some", f"Which {many} {verb} some {other}?"),
    ]
    found = family(CATEGORY, data, readings, asked)
    some_all = {n for n in kind if kind[n] == other and all(n in of[m] for m in role)}
    found += (
        family(
            CATEGORY,
            data,
            {"everyone": some_all, "any": {p for n in role for p in of[n]}},
            [("everyone", f"Which {others} are {r.get('part')} by every {first}?")],
        )
        if "part" in r
        else []
    )
    return found


def same_group(words: Lexicon, rng: Random) -> list[Question]:
    """The same … as, both, either, except, over tables."""
    topic = rng.choice(words.topics)
    sheet = sheet_of(
        words, topic, new_records(words, topic, rng, 11), rng, ["group", "flag0", "flag1"]
    )
    group, have = topic["group"], topic["has"]
    names = sheet.names
    record = rng.choice(sheet.records)
    x, value = record["name"], record["group"]
    inside = names(lambda r: r["group"] == value)
    second = rng.choice(sorted({r["group"] for r in sheet.records} - {value}))
    inside2 = names(lambda r: r["group"] == second)
    everything = names(lambda r: True)
    a, b = names(lambda r: r["flag0"]), names(lambda r: r["flag1"])
    that = "who" if topic.get("who") else "that"
    one, two = [f["word"] for f in topic["flags"]]
    bare_not = f"not {two}" if have == "are" else f"no {topic['flags'][1]['bare']}"
    readings = {
        "same": inside - {x},
        "others": everything - inside,
        "not x": everything - {x},
        "other group": inside2,
        "either group": inside | inside2,
        "not group": everything - inside2,
        "a": a,
        "b": b,
        "both": a & b,
        "either": a | b,
        "a not b": a - b,
        "inside a": inside & a,
        "inside both": inside & a & b,
        "inside b": inside & b,
        "exactly one": a ^ b,
        "except": a - {x},
    }
    asked = [
        ("same", sheet.wording(words, rng, group["same"].format(x=x))),
        ("either group", sheet.wording(words, rng, group["vp"].format(v=f"{value} or {second}"))),
        (
            "either group",
            sheet.wording(words, rng, group["vp"].format(v=f"either {value} or {second}")),
        ),
        (
            "not group",
            f"{words.choose('List', 'Name')} all {topic['plural']} except those {that} {group['vp'].format(v=second)}.",
        ),
        ("both", sheet.wording(words, rng, f"{have} both {one} and {two}")),
        ("either", sheet.wording(words, rng, f"{have} either {one} or {two}")),
        ("exactly one", sheet.wording(words, rng, f"{have} either {one} or {two}, but not both")),
        ("a not b", sheet.wording(words, rng, f"{have} {one} but {bare_not}")),
        (
            "inside both",
            f"Which {topic['plural']} {group['np'].format(v=value)} {have} both {one} and {two}?",
        ),
    ]
    if x in a:
        asked.append(
            (
                "except",
                f"Which {topic['plural']} {words.choose('except', 'apart from')} {x} {have} {one}?",
            )
        )
    found = family(CATEGORY, sheet.table, readings, asked, {"either": [a ^ b], "same": [inside]})
    groups = {r["group"] for r in sheet.records}
    each = {g for g in groups if all(r["flag0"] for r in sheet.records if r["group"] == g)}
    some = {g for g in groups if any(r["flag0"] for r in sheet.records if r["group"] == g)}
    none = groups - some
    all_of = {"every": each, "some": some, "none": none, "all": groups}
    _noun, np = group["noun"], topic["plural"]
    relative = {
        "in {v}": f"In which {group['plural']}",
        "based in {v}": f"In which {group['plural']}",
        "across {v}": f"Across which {group['plural']}",
    }.get(group["np"])
    if relative and have == "have" and "based" not in group["np"]:
        found += family(
            CATEGORY,
            sheet.table,
            all_of,
            [
                ("every", f"{relative} do all {np} have {one}?"),
                ("none", f"{relative} do no {np} have {one}?"),
            ],
        )
    return found


MAKERS = (acts, people, roles, same_group)
