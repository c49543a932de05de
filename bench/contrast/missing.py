"""8. Missing values: no rating, unrecorded, without a phone number; zero is a value."""

from __future__ import annotations

from random import Random

from .lexicon import Entry, Lexicon
from .model import Question, Value, family
from .sheets import Sheet, absent_value, new_records, sheet_of

CATEGORY = "missing"


def a_or_an(noun: str) -> str:
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def without_phrases(words: Lexicon, noun: str) -> list[str]:
    """Verb phrases for a missing value."""
    return [
        f"have no {noun}",
        words.choose(f"have no recorded {noun}", f"have no {noun} on record"),
        words.choose(f"do not have {a_or_an(noun)}", f"lack {a_or_an(noun)}"),
    ]


def gappy(words: Lexicon, rng: Random, number: int) -> tuple[Entry, Sheet]:
    """A sheet with gaps in a text and in a number column; one number is zero, one is the lowest other."""
    topic = rng.choice(words.topics)
    records = new_records(words, topic, rng, number)
    for field, share in (
        ("absent", rng.randrange(3, number - 3)),
        ("score", rng.randrange(3, number - 4)),
    ):
        gaps = {id(r) for r in rng.sample(records, share)}
        for record in records:
            if id(record) in gaps:
                record[field] = None
            elif record[field] is None:
                record[field] = (
                    absent_value(topic["absent"]["values"], rng, words)
                    if field == "absent"
                    else rng.choice((2, 3, 4, 5))
                )
    scored = [r for r in records if r["score"] is not None]
    scored[0]["score"], scored[1]["score"] = 0, 1
    rng.shuffle(records)
    return topic, sheet_of(words, topic, records, rng, ["absent", "score", "group"])


def gaps(words: Lexicon, rng: Random) -> list[Question]:
    """Without against with, against zero, against both columns."""
    topic, sheet = gappy(words, rng, 12)
    names, plural = sheet.names, topic["plural"]
    text, score = topic["absent"]["noun"], topic["score"]["noun"]
    value = rng.choice(sorted({r["group"] for r in sheet.records}))
    group = topic["group"]
    no_text, no_score = names(lambda r: r["absent"] is None), names(lambda r: r["score"] is None)
    all_, inside = names(lambda r: True), names(lambda r: r["group"] == value)
    low = rng.choice((2, 3))
    readings = {
        "no text": no_text,
        "text": all_ - no_text,
        "no score": no_score,
        "score": all_ - no_score,
        "neither": no_text & no_score,
        "both": all_ - no_text - no_score,
        "text only": no_score - no_text,
        "score only": no_text - no_score,
        "zero": names(lambda r: r["score"] == 0),
        "zero or none": names(lambda r: not r["score"]),
        "low": names(lambda r: r["score"] is not None and r["score"] < low),
        "low or none": names(lambda r: (r["score"] or 0) < low),
        "not low": names(lambda r: r["score"] is not None and r["score"] >= low),
        "inside no text": inside & no_text,
        "inside text": inside - no_text,
        "inside no score": inside & no_score,
    }
    s = sheet.wording
    asked = [
        ("no text", s(words, rng, rng.choice(without_phrases(words, text)))),
        (
            "no text",
            f"For which {plural} is "
            + words.choose(f"no {text} recorded?", f"the {text} not known?"),
        ),
        (
            "no text",
            (
                f"List the {plural} without {a_or_an(text)}."
                if words.split == "seen"
                else f"Give the {plural} whose {text} is missing."
            ),
        ),
        ("text", s(words, rng, f"have {a_or_an(text)}")),
        ("text", f"For which {plural} is {a_or_an(text)} {words.choose('recorded', 'known')}?"),
        ("no score", s(words, rng, rng.choice(without_phrases(words, score)))),
        (
            "no score",
            (
                f"Which {plural} have not been given {a_or_an(score)}?"
                if words.split == "seen"
                else f"For which {plural} is the {score} missing?"
            ),
        ),
        ("score", s(words, rng, f"have {a_or_an(score)}")),
        ("neither", s(words, rng, f"have neither {a_or_an(text)} nor {a_or_an(score)}")),
        ("both", s(words, rng, f"have both {a_or_an(text)} and {a_or_an(score)}")),
        ("text only", s(words, rng, f"have {a_or_an(text)} but no {score}")),
        ("score only", s(words, rng, f"have {a_or_an(score)} but no {text}")),
        ("zero", s(words, rng, f"have a {score} of {words.choose('0', 'zero')}")),
        ("low", s(words, rng, f"have a {score} {words.choose('below', 'under')} {low}")),
        ("low", s(words, rng, f"have a {score} of less than {low}")),
        ("inside no text", f"Which {plural} {group['np'].format(v=value)} have no {text}?"),
        ("inside no score", f"Which {plural} {group['np'].format(v=value)} have no {score}?"),
    ]
    return family(CATEGORY, sheet.table, readings, asked)


def numbers(words: Lexicon, rng: Random) -> list[Question]:
    """Counts, means, lowest: a gap is not a zero, and a zero is not a gap."""
    topic, sheet = gappy(words, rng, 11)
    plural, noun = topic["plural"], topic["noun"]
    text, score = topic["absent"]["noun"], topic["score"]["noun"]
    scores = [r["score"] for r in sheet.records if r["score"] is not None]
    positive = [v for v in scores if v]
    n = len(sheet.records)
    that = "who" if topic.get("who") else "that"
    mean = sum(scores) / len(scores)
    readings: dict[str, set[Value]] = {
        "mean": {mean},
        "gaps as zero": {sum(scores) / n},
        "without zero": {sum(positive) / len(positive)},
        "sum": {sum(scores)},
    }
    found = []
    if round(mean, 2) == mean:
        found += family(
            CATEGORY,
            sheet.table,
            readings,
            [
                ("mean", f"What is the average {score} of the {plural}?"),
                (
                    "mean",
                    words.choose(
                        f"What is the mean {score} of all {plural} {that} have one?",
                        f"On average, what {score} do the {plural} have?",
                    ),
                ),
            ],
        )
    extreme = {
        "lowest": sheet.names(lambda r: r["score"] == 0),
        "none": sheet.names(lambda r: r["score"] is None),
        "highest": sheet.names(lambda r: r["score"] == max(scores)),
        "next": sheet.names(lambda r: r["score"] == 1),
    }
    found += family(
        CATEGORY,
        sheet.table,
        extreme,
        [
            ("lowest", f"Which {noun} has the {words.adjective('minimum')} {score}?"),
            (
                "highest",
                (
                    f"Which {noun} has the {words.adjective('maximum')} {score}?"
                    if len(extreme["highest"]) == 1
                    else f"Which {plural} have the {words.adjective('maximum')} {score}?"
                ),
            ),
        ],
    )
    for field, label in (("absent", text), ("score", score)):
        gap = sum(r[field] is None for r in sheet.records)
        counts: dict[str, set[Value]] = {"without": {gap}, "with": {n - gap}, "rows": {n}}
        if field == "score":
            counts |= {"without or zero": {gap + 1}, "above zero": {n - gap - 1}}
        got = family(
            CATEGORY,
            sheet.table,
            counts,
            [
                (
                    "without",
                    sheet.wording(words, rng, rng.choice(without_phrases(words, label)), True),
                ),
                ("without", f"How many {plural} are there without {a_or_an(label)}?"),
                ("with", sheet.wording(words, rng, f"have {a_or_an(label)}", True)),
                (
                    "with",
                    f"For how many {plural} is {a_or_an(label)} {words.choose('recorded', 'known')}?",
                ),
            ],
        )
        found += got
    return found


def single(words: Lexicon, rng: Random) -> list[Question]:
    """The value of one thing that has it; whether another has it."""
    topic, sheet = gappy(words, rng, 9)
    found = []
    for field in ("absent", "score"):
        noun = topic[field]["noun"]
        for record in rng.sample(sheet.records, 3):
            known = record[field] is not None
            x = record["name"]
            found += family(
                CATEGORY,
                sheet.table,
                {"this": ["yes" if known else "no"], "opposite": ["no" if known else "yes"]},
                [("this", f"Does {x} have {a_or_an(noun)}?")],
                {"this": [["true" if known else "false"]]},
            )
            if known and field == "score":
                others = [
                    r["score"] for r in sheet.records if r is not record and r["score"] is not None
                ]
                found += family(
                    CATEGORY,
                    sheet.table,
                    {"this": [record[field]], "others": [v for v in others if v != record[field]]},
                    [("this", f"What is the {noun} of {x}?")],
                )
    return found


MAKERS = (gaps, gaps, numbers, single)
