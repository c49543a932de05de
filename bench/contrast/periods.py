"""4a. Time in tables: before, after, by, since, until, ranges, and periods of the calendar."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from .lexicon import Lexicon
from .model import Question, family
from .sheets import MONTHS, Record, Sheet, day_text, new_records, random_day, sheet_of

CATEGORY = "time"
QUARTERS = ("first", "second", "third", "fourth")
DECADES = {1970: "seventies", 1980: "eighties", 1990: "nineties"}


def dated_sheet(words: Lexicon, rng: Random, days: list[date], years: bool) -> Sheet:
    topic = rng.choice(words.topics)
    records = new_records(words, topic, rng, len(days))
    for record, day in zip(records, days, strict=False):
        record["event"] = day
    return sheet_of(words, topic, records, rng, ["event"], years)


def phrase(sheet: Sheet, text: str) -> str:
    return f"{sheet.topic['event']['past']} {text}"


def perfect(sheet: Sheet, text: str, past: bool = True) -> str:
    had = sheet.topic["event"]["perfect"]
    return f"{had if past else had.replace('had', 'have', 1)} {text}"


def sets_of(sheet: Sheet, tests: dict[str, Callable[[date], bool]]) -> dict[str, set[str]]:
    def names(test: Callable[[date], bool]) -> set[str]:
        return sheet.names(lambda r: test(r["event"]))

    return {name: names(test) for name, test in tests.items()}


def mixed(
    sheet: Sheet,
    words: Lexicon,
    rng: Random,
    sets: dict[str, set[str]],
    asked: list[tuple[str, str]],
    also: dict[str, list[set[str]]],
    most: int,
) -> list[Question]:
    """Lists and counts for verb phrases."""
    listed = [(m, sheet.wording(words, rng, vp)) for m, vp in asked]
    found = family(CATEGORY, sheet.table, sets, listed, also)
    counts = {m: {len(s)} for m, s in sets.items()}
    fair = {m: [{len(s)} for s in group] for m, group in also.items()}
    counted = [
        (m, sheet.wording(words, rng, vp, True)) for m, vp in rng.sample(asked, min(3, len(asked)))
    ]
    for meaning, text in counted:  # a count is a contrast with its neighbours only
        near = {m: counts[m] for m in counts if m == meaning or m[:4] == meaning[:4]}
        found += family(
            CATEGORY, sheet.table, near if len(near) > 1 else counts, [(meaning, text)], fair
        )
    return rng.sample(found, min(most, len(found)))


def around(words: Lexicon, rng: Random) -> list[Question]:
    """Before, in, after, since, by a year; the year itself occurs in the data."""
    years = rng.random() < 0.5
    y = rng.randrange(1985, 2018)
    spread = [y, y, y - 1, y - 2, y + 1, y + 2, y + 3, y - 4, y + 5, y - 6]
    days = [
        date(v, 1, 1) + timedelta(days=rng.randrange(365)) for v in rng.sample(spread, len(spread))
    ]
    if not years:
        days += [date(y, 1, 1), date(y, 12, 31)]
    sheet = dated_sheet(words, rng, days, years)
    sets = sets_of(
        sheet,
        {
            "year before": lambda d: d.year < y,
            "year up to": lambda d: d.year <= y,
            "year in": lambda d: d.year == y,
            "year from": lambda d: d.year >= y,
            "year after": lambda d: d.year > y,
        },
    )
    asked = [
        ("year before", phrase(sheet, f"before {y}")),
        ("year after", phrase(sheet, f"after {y}")),
        ("year in", phrase(sheet, f"in {y}")),
        ("year from", perfect(sheet, f"since {y}", False)),
        ("year from", phrase(sheet, words.choose(f"from {y} on", f"from {y} onwards"))),
        ("year from", phrase(sheet, words.choose(f"in {y} or later", f"no earlier than {y}"))),
        ("year up to", phrase(sheet, words.choose(f"in {y} or earlier", f"no later than {y}"))),
        (
            "year up to",
            phrase(sheet, words.choose(f"up to and including {y}", f"up to the end of {y}")),
        ),
        ("year up to", perfect(sheet, f"by the end of {y}")),
    ]
    found = mixed(sheet, words, rng, sets, asked, {}, 7)
    by = [("year up to", perfect(sheet, f"by {y}"))]
    return found + mixed(sheet, words, rng, sets, by, {"year up to": [sets["year before"]]}, 1)


def between(words: Lexicon, rng: Random) -> list[Question]:
    """From … to, between, through, after … and before; both years occur in the data."""
    years = rng.random() < 0.5
    a = rng.randrange(1985, 2012)
    b = a + rng.randrange(3, 8)
    spread = [a, b, a, b, a - 1, b + 1, a + 1, b - 1, a - 5, b + 4, a + 2]
    days = [date(v, 1, 1) + timedelta(days=rng.randrange(365)) for v in spread]
    rng.shuffle(days)
    sheet = dated_sheet(words, rng, days, years)
    sets = sets_of(
        sheet,
        {
            "closed": lambda d: a <= d.year <= b,
            "open": lambda d: a < d.year < b,
            "not the last": lambda d: a <= d.year < b,
            "not the first": lambda d: a < d.year <= b,
            "ends": lambda d: d.year in (a, b),
            "outside": lambda d: d.year < a or d.year > b,
            "from the first": lambda d: d.year >= a,
            "up to the last": lambda d: d.year <= b,
        },
    )
    asked = [
        ("closed", phrase(sheet, f"from {a} to {b}")),
        ("closed", phrase(sheet, f"from {a} through {b}")),
        ("closed", phrase(sheet, f"from {a} up to and including {b}")),
        ("open", phrase(sheet, f"after {a} but before {b}")),
        ("not the last", phrase(sheet, f"in or after {a} but before {b}")),
        ("not the first", phrase(sheet, f"after {a} but no later than {b}")),
        ("ends", phrase(sheet, f"in {a} or in {b}")),
        ("outside", phrase(sheet, f"before {a} or after {b}")),
    ]
    found = mixed(sheet, words, rng, sets, asked, {}, 6)
    fair = {"closed": [sets["open"], sets["not the last"]]}
    loose = [
        ("closed", phrase(sheet, f"between {a} and {b}")),
        ("closed", phrase(sheet, f"from {a} until {b}")),
    ]
    return found + mixed(sheet, words, rng, sets, loose, fair, 2)


def exact_day(words: Lexicon, rng: Random) -> list[Question]:
    """Before, on, after, by, until a day; the day itself occurs in the data."""
    d = random_day(rng, 1996, 2018)
    steps = [0, 1, -1, 9, -12, 40, -60, 365, -365, 800, -900]
    sheet = dated_sheet(
        words, rng, [d + timedelta(days=n) for n in rng.sample(steps, len(steps))], False
    )
    text = day_text(d, words)
    sets = sets_of(
        sheet,
        {
            "day before": lambda x: x < d,
            "day up to": lambda x: x <= d,
            "day on": lambda x: x == d,
            "day from": lambda x: x >= d,
            "day after": lambda x: x > d,
            "same day of any year": lambda x: (x.month, x.day) == (d.month, d.day),
        },
    )
    asked = [
        ("day before", phrase(sheet, f"before {text}")),
        ("day after", phrase(sheet, f"after {text}")),
        ("day on", phrase(sheet, f"on {text}")),
        ("day from", phrase(sheet, f"on or after {text}")),
        ("day from", perfect(sheet, f"since {text}", False)),
        ("day from", phrase(sheet, f"from {text} on")),
        ("day up to", phrase(sheet, f"on or before {text}")),
        ("day up to", phrase(sheet, f"no later than {text}")),
        (
            "day up to",
            perfect(sheet, words.choose(f"by the end of {text}", f"up to and including {text}")),
        ),
    ]
    del sets["same day of any year"]
    found = mixed(sheet, words, rng, sets, asked, {}, 6)
    loose = [("day up to", perfect(sheet, f"by {text}"))]
    found += mixed(sheet, words, rng, sets, loose, {"day up to": [sets["day before"]]}, 1)
    e = d + timedelta(days=40)
    spans = sets_of(
        sheet,
        {
            "closed": lambda x: d <= x <= e,
            "open": lambda x: d < x < e,
            "late": lambda x: x >= d,
            "early": lambda x: x <= e,
        },
    )
    found += mixed(
        sheet,
        words,
        rng,
        spans,
        [("closed", phrase(sheet, f"from {text} to {day_text(e, words)}"))],
        {},
        1,
    )
    return found


def calendar(words: Lexicon, rng: Random) -> list[Question]:
    """A month of one year, a month of any year, quarters, halves, the year."""
    y, month = rng.randrange(1999, 2022), rng.randrange(1, 13)
    days = [date(y, month, 5), date(y, month, 28), date(y - 1, month, 17), date(y + 1, month, 2)]
    days += [date(y, m, rng.randrange(1, 29)) for m in rng.sample(range(1, 13), 7)]
    days += [random_day(rng, y - 2, y + 2) for _ in range(3)]
    days += [date(y, 3, 31), date(y, 4, 1), date(y, 6, 30), date(y, 7, 1)]
    keep = rng.sample(days[4:], 9)
    days = days[:4] + keep
    rng.shuffle(days)
    days = days[:14]
    sheet = dated_sheet(words, rng, days, False)
    q = rng.randrange(4)
    half = rng.randrange(2)
    name = MONTHS[month - 1]
    tests: dict[str, Callable[[date], bool]] = {
        "month": lambda d: d.year == y and d.month == month,
        "month of any year": lambda d: d.month == month,
        "year": lambda d: d.year == y,
        "quarter": lambda d: d.year == y and (d.month - 1) // 3 == q,
        "next quarter": lambda d: d.year == y and (d.month - 1) // 3 == (q + 1) % 4,
        "quarter of any year": lambda d: (d.month - 1) // 3 == q,
        "half": lambda d: d.year == y and (d.month - 1) // 6 == half,
        "other half": lambda d: d.year == y and (d.month - 1) // 6 != half,
        "before the month": lambda d: (d.year, d.month) < (y, month),
        "after the month": lambda d: (d.year, d.month) > (y, month),
        "from the month": lambda d: (d.year, d.month) >= (y, month),
        "month on in the year": lambda d: d.year == y and d.month >= month,
    }
    sets = sets_of(sheet, tests)
    asked = [
        ("month", phrase(sheet, f"in {name} {y}")),
        ("month", phrase(sheet, f"in {name} of {y}")),
        ("month of any year", phrase(sheet, f"in {words.choose(name, f'{name} of any year')}")),
        ("year", phrase(sheet, f"in {y}")),
        ("quarter", phrase(sheet, f"in the {QUARTERS[q]} quarter of {y}")),
        ("quarter", phrase(sheet, words.choose(f"in Q{q + 1} {y}", f"in Q{q + 1} of {y}"))),
        ("half", phrase(sheet, f"in the {('first', 'second')[half]} half of {y}")),
        ("before the month", phrase(sheet, f"before {name} {y}")),
        ("after the month", phrase(sheet, f"after {name} {y}")),
        ("from the month", perfect(sheet, f"since {name} {y}", False)),
        ("from the month", phrase(sheet, f"from {name} {y} on")),
    ]
    return mixed(sheet, words, rng, sets, asked, {}, 7)


def decade(words: Lexicon, rng: Random) -> list[Question]:
    """The nineties against their neighbours; edges 1989, 1990, 1999, 2000 occur."""
    years = rng.random() < 0.6
    start = rng.choice(sorted(DECADES))
    spread = [
        start - 1,
        start,
        start + 9,
        start + 10,
        start + 4,
        start - 7,
        start + 15,
        start + 1,
        start + 8,
        start + 23,
    ]
    days = [
        date(v, 1, 1) + timedelta(days=rng.randrange(365)) for v in rng.sample(spread, len(spread))
    ]
    sheet = dated_sheet(words, rng, days, years)
    sets = sets_of(
        sheet,
        {
            "decade": lambda d: start <= d.year <= start + 9,
            "with next": lambda d: start <= d.year <= start + 10,
            "first year": lambda d: d.year == start,
            "before decade": lambda d: d.year < start,
            "after decade": lambda d: d.year > start + 9,
            "early": lambda d: start <= d.year <= start + 4,
            "since decade": lambda d: d.year >= start,
            "before its end": lambda d: d.year <= start + 9,
        },
    )
    name = words.choose(f"the {DECADES[start]}", f"the {start}s")
    asked = [
        ("decade", phrase(sheet, f"in {name}")),
        ("decade", phrase(sheet, f"during {name}")),
        ("before decade", phrase(sheet, f"before {name}")),
        ("after decade", phrase(sheet, f"after {name}")),
        ("before its end", perfect(sheet, f"by the end of {name}")),
    ]
    found = mixed(sheet, words, rng, sets, asked, {}, 4)
    topic = sheet.topic

    def last(r: Record) -> date:
        return r["event"]

    ends = {
        "first": {min(sheet.records, key=last)["name"]},
        "last": {max(sheet.records, key=last)["name"]},
        "top row": {sheet.records[0]["name"]},
        "bottom row": {sheet.records[-1]["name"]},
    }
    was = topic["event"]["past"].replace("were", "was", 1)
    return found + family(
        CATEGORY,
        sheet.table,
        ends,
        [
            ("first", f"Which {topic['noun']} {was} {words.choose('first', 'earliest')}?"),
            ("last", f"Which {topic['noun']} {was} {words.choose('last', 'most recently')}?"),
        ],
    )


MAKERS: tuple[Callable[[Lexicon, Random], list[Question]], ...] = (
    around,
    between,
    exact_day,
    calendar,
    decade,
)
