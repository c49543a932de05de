"""5. Scale, range and unit: between 3 and 5 million, under 20 kg, over 1.5 km, no more than."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .lexicon import Entry, Lexicon
from .model import Question, Value, family
from .sheets import Sheet, new_records, number_text, sheet_of

CATEGORY = "scale"
OPEN_ENDED = ("weigh", "cost", "earn", "have a", "pay")


def bounds(words: Lexicon, rng: Random, vp: str, cut: str) -> dict[str, str]:
    """A bound of each kind in words."""
    chosen = {
        op: rng.choice(words.templates("bounds", op)) for op in ("gt", "lt", "ge", "le", "eq")
    }
    if vp.startswith(OPEN_ENDED):
        chosen["le"] = rng.choice(words.templates("bounds", "le_open"))
    return {op: template.format(c=cut) for op, template in chosen.items()}


def compared(sheet: Sheet, field: str, cut: float, label: str) -> dict[str, set[str]]:
    """The names on each side of a cut."""
    tests: dict[str, Callable[[float], bool]] = {
        "lt": lambda v: v < cut,
        "le": lambda v: v <= cut,
        "eq": lambda v: v == cut,
        "ge": lambda v: v >= cut,
        "gt": lambda v: v > cut,
    }
    return {f"{name}{label}": sheet.names(lambda r: test(r[field])) for name, test in tests.items()}


def ranged(sheet: Sheet, field: str, low: float, high: float) -> set[str]:
    return sheet.names(lambda r: low <= r[field] <= high)


def listed_and_counted(
    sheet: Sheet,
    words: Lexicon,
    rng: Random,
    readings: dict[str, set[str]],
    asked: list[tuple[str, str]],
    also: dict[str, list[set[str]]],
    most: int,
) -> list[Question]:
    found = family(
        CATEGORY,
        sheet.table,
        readings,
        [(m, sheet.wording(words, rng, vp)) for m, vp in asked],
        also,
    )
    sizes: dict[str, set[int]] = {m: {len(s)} for m, s in readings.items()}
    for meaning, vp in rng.sample(asked, min(2, len(asked))):
        near = {
            m: s
            for m, s in sizes.items()
            if m == meaning
            or (m.endswith("unscaled") and m.startswith(meaning))
            or {m, meaning} in ({"lt", "le"}, {"gt", "ge"}, {"closed", "open"})
        }
        found += family(
            CATEGORY,
            sheet.table,
            near,
            [(meaning, sheet.wording(words, rng, vp, True))],
            {m: [{len(s)} for s in sets] for m, sets in also.items()},
        )
    return rng.sample(found, min(most, len(found)))


def measured_topic(words: Lexicon, rng: Random) -> Entry:
    return rng.choice([t for t in words.topics if "cuts" in t["measure"]])


def measure_values(rng: Random, cut: float, factor: int, number: int) -> list[int]:
    """Values at, near and far from a cut in the large unit, and some below its bare number."""
    exact = round(cut * factor)
    step = factor // 10 or 1
    near = [
        exact,
        exact,
        exact - step,
        exact + step,
        exact + 3 * step,
        exact - 2 * step,
        exact + 11 * step,
        exact // 2,
    ]
    tiny = [
        max(1, int(cut * part))
        for part in (0.9, 0.5)
        if int(cut * part) >= 1 and int(cut * part) != cut
    ]
    values = [v for v in near if v > 0] + (tiny or [1])
    while len(values) < number:
        values.append(exact + step * rng.randrange(1, 20))
    rng.shuffle(values)
    return values[:number]


def units(words: Lexicon, rng: Random) -> list[Question]:
    """The question in the large unit, the data in the small one, or both in each cell."""
    topic = measured_topic(words, rng)
    measure = topic["measure"]
    factor, large = measure["factor"], measure["large"]
    cut = rng.choice(measure["cuts"])
    records = new_records(words, topic, rng, 11)
    for record, value in zip(records, measure_values(rng, cut, factor, 11), strict=False):
        record["measure"] = value
    mixed = rng.random() < 0.4
    sheet = sheet_of(words, topic, records, rng, ["measure"], mixed=mixed)
    exact = round(cut * factor)
    readings = compared(sheet, "measure", exact, "") | compared(sheet, "measure", cut, " unscaled")
    high = rng.choice([cut + 0.5, cut + 1])
    readings["closed"] = ranged(sheet, "measure", exact, round(high * factor))
    readings["open"] = sheet.names(lambda r: exact < r["measure"] < round(high * factor))
    readings["closed unscaled"] = ranged(sheet, "measure", cut, high)
    readings["closed half unscaled"] = ranged(sheet, "measure", cut, round(high * factor))
    text = bounds(words, rng, measure["vp"], f"{number_text(cut)} {large}")
    small = bounds(words, rng, measure["vp"], f"{exact:,} {measure['units']}")
    span = f"{number_text(cut)} and {number_text(high)} {large}"
    asked = [(op, measure["vp"].format(r=r)) for op, r in text.items()]
    asked += [(op, measure["vp"].format(r=small[op])) for op in rng.sample(sorted(small), 1)]
    asked += [(op, f"have a {measure['noun']} of {text[op]}") for op in rng.sample(sorted(text), 1)]
    asked += [("closed", measure["vp"].format(r=f"between {span}"))]
    found = listed_and_counted(
        sheet, words, rng, readings, asked, {"closed": [readings["open"]]}, 6
    )
    record = rng.choice([r for r in records if r["measure"] > cut])
    values: dict[str, set[Value]] = {
        "large": {round(record["measure"] / factor, 4)},
        "small": {record["measure"]},
    }
    x = record["name"]
    if round(record["measure"] / factor, 2) == record["measure"] / factor:
        found += family(
            CATEGORY,
            sheet.table,
            values,
            [
                ("large", f"What is the {measure['noun']} of {x} in {large}?"),
                (
                    "small",
                    words.choose(
                        f"What is the {measure['noun']} of {x} in {measure['units']}?",
                        f"Give the {measure['noun']} of {x} in {measure['units']}.",
                    ),
                ),
            ],
        )
    total = sum(r["measure"] for r in records)
    if round(total / factor, 2) == total / factor:
        found += family(
            CATEGORY,
            sheet.table,
            {"large": {total / factor}, "small": {total}, "mean": {round(total / 11, 2)}},
            [
                (
                    "large",
                    f"What is the total {measure['noun']} of all {topic['plural']} in {large}?",
                )
            ],
        )
    return found


def extremes(words: Lexicon, rng: Random) -> list[Question]:
    """Most and least, where cells have different units: 800 m against 1.2 km."""
    topic = measured_topic(words, rng)
    measure = topic["measure"]
    factor = measure["factor"]
    records = new_records(words, topic, rng, 9)
    values = rng.sample(range(factor // 10, factor, max(1, factor // 60)), 5)
    values += [factor * k // 10 for k in rng.sample(range(11, 35), 4)]
    for record, value in zip(records, rng.sample(values, 9), strict=False):
        record["measure"] = value
    sheet = sheet_of(words, topic, records, rng, ["measure"], mixed=True)
    bare = {
        r["name"]: r["measure"] / factor if r["measure"] >= factor else r["measure"]
        for r in records
    }
    order = sorted(records, key=lambda r: r["measure"])
    names = [r["name"] for r in order]
    by_bare = sorted(bare, key=lambda n: bare[n])
    readings = {
        "most": {names[-1]},
        "least": {names[0]},
        "most bare": {by_bare[-1]},
        "least bare": {by_bare[0]},
        "top": set(names[-3:]),
        "top bare": set(by_bare[-3:]),
        "bottom": set(names[:3]),
    }
    noun, plural = topic["noun"], topic["plural"]
    asked = [(m, f"Which {noun} is the {measure[m]}?") for m in ("most", "least") if m in measure]
    asked += [
        ("most", f"Which {noun} has the {words.adjective('most')} {measure['noun']}?"),
        ("least", f"Which {noun} has the {words.adjective('least')} {measure['noun']}?"),
        ("top", f"Which three {plural} have the {words.adjective('most')} {measure['noun']}?"),
        ("bottom", f"Which three {plural} have the {words.adjective('least')} {measure['noun']}?"),
    ]
    found = family(CATEGORY, sheet.table, readings, asked)
    x, y = rng.sample(records, 2)
    if x["measure"] != y["measure"]:
        more = x if x["measure"] > y["measure"] else y
        less = y if more is x else x
        larger = sheet.names(lambda r: r["measure"] > x["measure"])
        smaller = sheet.names(lambda r: r["measure"] < x["measure"])
        sets = {
            "larger": larger,
            "smaller": smaller,
            "larger bare": {n for n in bare if bare[n] > bare[x["name"]]},
            "smaller bare": {n for n in bare if bare[n] < bare[x["name"]]},
        }
        found += family(
            CATEGORY,
            sheet.table,
            sets,
            [
                (
                    "larger",
                    f"Which {plural} have a {words.adjective('greater')} {measure['noun']} than {x['name']}?",
                ),
                (
                    "smaller",
                    f"Which {plural} have a {words.adjective('smaller')} {measure['noun']} than {x['name']}?",
                ),
            ],
        )
        difference: dict[str, set[Value]] = {
            "difference": {more["measure"] - less["measure"]},
            "bare": {round(abs(bare[x["name"]] - bare[y["name"]]), 2)},
        }
        found += family(
            CATEGORY,
            sheet.table,
            difference,
            [
                (
                    "difference",
                    (
                        f"What is the difference in {measure['noun']} between {x['name']} and {y['name']}"
                        f" in {measure['units']}?"
                    ),
                )
            ],
        )
    return found


def millions(words: Lexicon, rng: Random) -> list[Question]:
    """Between 3 and 5 million: the scale word holds for both ends; the ends occur in the data."""
    topic = rng.choice(words.topics)
    big = topic["big"]
    scale = 1_000_000 if big["scale"] == "million" else 1_000
    low = rng.randrange(1, 7)
    high = low + rng.randrange(1, 4)
    fractions = [
        low,
        high,
        low,
        high,
        max(low - 1, 0.75),
        high + 1,
        low + 1,
        high + 4.5,
        low + 0.5,
        0.5,
        0.05,
        0.25,
    ]
    records = new_records(words, topic, rng, len(fractions))
    for record, value in zip(records, rng.sample(fractions, len(fractions)), strict=False):
        record["big"] = round(value * scale)
    sheet = sheet_of(words, topic, records, rng, ["big"])
    value_of = {r["name"]: r["big"] for r in records}

    def names(first: float, last: float, ends: bool = True) -> set[str]:
        return {
            n for n, v in value_of.items() if (first <= v <= last if ends else first < v < last)
        }

    a, b = low * scale, high * scale
    half = scale // 2
    readings = {
        "closed": names(a, b),
        "open": names(a, b, False),
        "first bare": names(low, b),
        "both bare": names(low, high),
        "not the last": names(a, b - 1),
        "lt": names(0, a - 1),
        "le": names(0, a),
        "gt": names(a + 1, 1e12),
        "ge": names(a, 1e12),
        "eq": names(a, a),
        "lt unscaled": names(0, low - 1),
        "gt unscaled": names(low + 1, 1e12),
        "outside": set(value_of) - names(a, b),
        "gt half": names(half + 1, 1e12),
        "lt half": names(0, half - 1),
        "lt other": names(0, scale * 2.5 - 1),
        "gt other": names(scale * 2.5 + 1, 1e12),
    }
    word, unit = big["scale"], big["unit"]
    text = bounds(words, rng, big["vp"], f"{low} {word} {unit}")
    full = f"{a:,} and {b:,} {unit}"
    vp = big["vp"]
    asked = [(op, vp.format(r=r)) for op, r in text.items()]
    asked += [
        ("closed", vp.format(r=f"{low} to {high} {word} {unit}")),
        ("closed", vp.format(r=f"from {low} to {high} {word} {unit}")),
        ("outside", vp.format(r=f"less than {low} or more than {high} {word} {unit}")),
        ("gt other", vp.format(r=f"more than 2.5 {word} {unit}")),
    ]
    if word == "million":
        asked += [
            ("gt half", vp.format(r=f"more than half a {word} {unit}")),
            ("lt half", vp.format(r=f"less than half a {word} {unit}")),
        ]
    if unit == "visitors":
        asked = [
            (m, t.replace("less than", "fewer than").replace("no less", "no fewer"))
            for m, t in asked
        ]
    found = listed_and_counted(sheet, words, rng, readings, asked, {}, 5)
    loose = [
        ("closed", vp.format(r=f"between {low} and {high} {word} {unit}")),
        ("closed", vp.format(r=f"between {full}")),
    ]
    if big["header"] != unit:
        loose.append(("closed", f"have a {big['noun']} of between {low} and {high} {word} {unit}"))
    return found + listed_and_counted(
        sheet,
        words,
        rng,
        readings,
        loose,
        {"closed": [readings["open"], readings["not the last"]]},
        2,
    )


def plain_bounds(words: Lexicon, rng: Random) -> list[Question]:
    """No more than against less than, in the unit of the data; the bound occurs."""
    topic = rng.choice(words.topics)
    measure = topic["measure"]
    low, high = measure["steps"]
    cut = rng.randrange(low + (high - low) // 4, high - (high - low) // 4)
    cut = max(10, round(cut, -1))
    records = new_records(words, topic, rng, 10)
    for record, value in zip(
        records,
        rng.sample(
            [cut, cut, cut - 1, cut + 1, cut * 2, cut // 2, cut + 30, cut * 3, cut - 5, cut * 10],
            10,
        ),
        strict=False,
    ):
        record["measure"] = value
    sheet = sheet_of(words, topic, records, rng, ["measure"])
    top = cut + 30
    readings = compared(sheet, "measure", cut, "") | {
        "closed": ranged(sheet, "measure", cut, top),
        "open": sheet.names(lambda r: cut < r["measure"] < top),
        "not the last": sheet.names(lambda r: cut <= r["measure"] < top),
    }
    readings["as text"] = sheet.names(lambda r: str(r["measure"]) < str(cut))
    text = bounds(words, rng, measure["vp"], f"{cut} {measure['units']}")
    asked = [(op, measure["vp"].format(r=r)) for op, r in text.items()]
    asked += [
        ("ge", measure["vp"].format(r=f"{cut} {measure['units']} or more")),
        ("le", measure["vp"].format(r=f"{cut} {measure['units']} or less")),
    ]
    if "{r} " in measure["vp"]:
        asked = asked[:5]
    found = listed_and_counted(sheet, words, rng, readings, asked, {}, 5)
    loose = [("closed", measure["vp"].format(r=f"between {cut} and {top} {measure['units']}"))]
    return found + listed_and_counted(
        sheet,
        words,
        rng,
        readings,
        loose,
        {"closed": [readings["open"], readings["not the last"]]},
        1,
    )


MAKERS = (units, units, extremes, millions, millions, plain_bounds)
