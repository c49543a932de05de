"""Tables about things of one topic: what each row means, and how its cells are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any

from .lexicon import Entry, Lexicon
from .model import Table

Record = dict[str, Any]
CODES = (("yes", "no"), ("Y", "N"), ("1", "0"), ("true", "false"), ("Yes", "No"), ("TRUE", "FALSE"))
GAPS = ("", "", "N/A", "-", "unknown", "?", "none")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
COLOURS = ("red", "blue", "green", "grey", "black", "white", "yellow")


@dataclass
class Sheet:
    """A table, and what its rows mean."""

    topic: Entry
    records: list[Record]
    table: Table
    headers: dict[str, str]
    style: Record = field(default_factory=dict)

    def names(self, test: Callable[[Record], Any]) -> set[str]:
        return {r["name"] for r in self.records if test(r)}

    def wording(self, words: Lexicon, rng: Random, vp: str, count: bool = False) -> str:
        """A question for the things of which the verb phrase (plural) holds."""
        template = rng.choice(words.templates("table", "count" if count else "list"))
        that = "who" if self.topic.get("who") else "that"
        return template.format(plural=self.topic["plural"], vp=vp, that=that)


def day_text(day: date, words: Lexicon) -> str:
    """A date as in a sentence."""
    month = MONTHS[day.month - 1]
    return words.choose(f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}")


def random_day(rng: Random, first: int, last: int) -> date:
    return date(first, 1, 1) + timedelta(
        days=rng.randrange((date(last, 12, 31) - date(first, 1, 1)).days)
    )


def absent_value(kind: str, rng: Random, words: Lexicon) -> str:
    if kind == "phone":
        return f"0{rng.randrange(20, 99)} {rng.randrange(1000, 9999)} {rng.randrange(100, 999)}"
    if kind == "email":
        return f"info{rng.randrange(100, 999)}@mail.example"
    if kind == "colour":
        return rng.choice(COLOURS)
    return rng.choice(words.half("surnames"))


def group_names(words: Lexicon, topic: Entry, rng: Random) -> list[str]:
    pool = words.half(topic["group"]["names"])
    return rng.sample(pool, min(len(pool), rng.choice((3, 4))))


def new_records(words: Lexicon, topic: Entry, rng: Random, number: int) -> list[Record]:
    """Random rows; categories then change what they need."""
    who = topic["names"] == "people"
    names = words.names("full" if who and rng.random() < 0.5 else topic["names"], rng, number)
    groups = group_names(words, topic, rng)
    low, high = topic["measure"]["steps"]
    scale = 1_000_000 if topic["big"]["scale"] == "million" else 1_000
    records: list[Record] = []
    for i, name in enumerate(names):
        records.append(
            {
                "name": name,
                "group": groups[i] if i < len(groups) else rng.choice(groups),
                "measure": rng.randrange(low, high),
                "big": rng.randrange(2, 90) * scale // 10,
                "event": random_day(rng, 1985, 2023),
                "flag0": rng.random() < 0.5,
                "flag1": rng.random() < 0.5,
                "absent": absent_value(topic["absent"]["values"], rng, words)
                if rng.random() < 0.6
                else None,
                "score": rng.choice((1, 2, 2.5, 3, 3.5, 4, 4.5, 5)) if rng.random() < 0.7 else None,
            }
        )
    return records


def number_text(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:g}"


def sheet_of(
    words: Lexicon,
    topic: Entry,
    records: list[Record],
    rng: Random,
    fields: list[str],
    years: bool = False,
    extra: int = 2,
    mixed: bool = False,
) -> Sheet:
    """Write the records as a table of the named fields and some further ones."""
    all_fields = ["group", "measure", "big", "event", "flag0", "flag1", "absent", "score"]
    spare = [f for f in all_fields if f not in fields]
    used = fields + rng.sample(spare, min(extra, len(spare)))
    codes = {f: rng.choice(CODES) for f in ("flag0", "flag1")}
    gaps = {f: rng.choice(GAPS) for f in ("absent", "score")}
    measure, big = topic["measure"], topic["big"]
    where = "cell" if mixed else rng.choice(("bracket", "underscore", "cell"))
    commas = rng.random() < 0.15
    headers = {
        "name": topic["noun"],
        "group": topic["group"]["header"],
        "measure": {
            "bracket": f"{measure['header']} ({measure['unit']})",
            "underscore": f"{measure['header']}_{measure['unit']}",
            "cell": measure["header"],
        }[where],
        "big": (
            big["header"]
            if big["header"] == big["unit"]
            else rng.choice((f"{big['header']} ({big['unit']})", f"{big['header']}_{big['unit']}"))
        ),
        "event": topic["event"]["header"],
        "absent": topic["absent"]["header"],
        "score": topic["score"]["header"],
        "flag0": topic["flags"][0]["header"],
        "flag1": topic["flags"][1]["header"],
    }

    def cell(record: Record, name: str) -> str:
        value = record[name]
        if name in codes:
            return codes[name][0 if value else 1]
        if value is None:
            return gaps[name]
        if name == "measure" and where == "cell":
            if mixed and value >= measure["factor"]:
                return f"{value / measure['factor']:g} {measure['large']}"
            return f"{number_text(value)} {measure['unit']}"
        if name == "event":
            return str(value.year) if years else value.isoformat()
        if name == "big" and commas:
            return f"{value:,}"
        return value if isinstance(value, str) else number_text(value)

    order = ["name", *rng.sample(used, len(used))]
    rows = [{headers[f]: cell(record, f) for f in order} for record in records]
    table = Table([headers[f] for f in order], rows, topic["plural"])
    return Sheet(topic, records, table, headers, {"codes": codes, "gaps": gaps, "where": where})
