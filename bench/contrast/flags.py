"""7. Flags: columns of yes and no, Y and N, 1 and 0, true and false."""

from __future__ import annotations

from collections import Counter
from random import Random

from .groups import top
from .lexicon import Lexicon
from .model import Question, Value, family
from .negation import flag_phrases
from .sheets import Sheet, new_records, sheet_of

CATEGORY = "flags"


def flagged(words: Lexicon, rng: Random, number: int) -> Sheet:
    """A sheet with two flags; those that have one flag are a strict part of the rows."""
    topic = rng.choice(words.topics)
    records = new_records(words, topic, rng, number)
    yes = rng.choice([n for n in range(3, number - 2) if n * 2 != number])
    for i, record in enumerate(rng.sample(records, number)):
        record["flag0"] = i < yes
    return sheet_of(words, topic, records, rng, ["flag0", "flag1", "group"])


def lists(words: Lexicon, rng: Random) -> list[Question]:
    """Those that have it against those that have not, against all, against those that have the other."""
    sheet = flagged(words, rng, 11)
    topic, names = sheet.topic, sheet.names
    one, two = flag_phrases(sheet, 0), flag_phrases(sheet, 1)
    group = topic["group"]
    value = rng.choice(sorted({r["group"] for r in sheet.records}))
    a, b, all_ = names(lambda r: r["flag0"]), names(lambda r: r["flag1"]), names(lambda r: True)
    inside = names(lambda r: r["group"] == value)
    readings = {
        "a": a,
        "not a": all_ - a,
        "b": b,
        "not b": all_ - b,
        "all": all_,
        "both": a & b,
        "inside": inside,
        "inside a": inside & a,
        "inside not a": inside - a,
        "inside b": inside & b,
    }
    plural = topic["plural"]
    asked = [
        ("a", sheet.wording(words, rng, one["yes"])),
        ("not a", sheet.wording(words, rng, one["no"])),
        ("b", sheet.wording(words, rng, two["yes"])),
        ("not b", sheet.wording(words, rng, two["not"])),
        (
            "both",
            sheet.wording(
                words, rng, f"{two['yes']} and {one['yes'].removeprefix(topic['has'] + ' ')}"
            ),
        ),
        ("inside a", f"Which {plural} {group['np'].format(v=value)} {one['yes']}?"),
        ("inside not a", f"Which {plural} {group['np'].format(v=value)} {one['not']}?"),
        ("inside b", f"Which {plural} {two['with']} {group['vp'].format(v=value)}?"),
    ]
    found = family(CATEGORY, sheet.table, readings, asked)
    for positive, name in ((a, "flag0"), (b, "flag1")):
        i = int(name[-1])
        counts: dict[str, set[Value]] = {
            "yes": {len(positive)},
            "no": {len(all_ - positive)},
            "rows": {len(all_)},
            "inside": {len(inside & positive)},
        }
        text = flag_phrases(sheet, i)
        found += family(
            CATEGORY,
            sheet.table,
            counts,
            [
                ("yes", sheet.wording(words, rng, text["yes"], True)),
                ("no", sheet.wording(words, rng, text["no"], True)),
                ("inside", f"How many {plural} {group['np'].format(v=value)} {text['yes']}?"),
            ],
        )
    return found


def single(words: Lexicon, rng: Random) -> list[Question]:
    """Yes-or-no questions about one thing, where its other flag says the opposite."""
    sheet = flagged(words, rng, 9)
    topic = sheet.topic
    found = []
    for record in sheet.records:
        x = record["name"]
        readings = {field: ["yes" if record[field] else "no"] for field in ("flag0", "flag1")}
        fair = {field: [["true" if record[field] else "false"]] for field in readings}
        asked = []
        for field in readings:
            word = topic["flags"][int(field[-1])]["word"]
            asked.append(
                (field, f"Does {x} have {word}?" if topic["has"] == "have" else f"Is {x} {word}?")
            )
        found += family(CATEGORY, sheet.table, readings, asked, fair)
    return found


def shares(words: Lexicon, rng: Random) -> list[Question]:
    """The percentage, and the group with the most of those that have it."""
    sheet = flagged(words, rng, 10)
    topic, plural = sheet.topic, sheet.topic["plural"]
    group = topic["group"]
    found = []
    for i in (0, 1):
        field, text = f"flag{i}", flag_phrases(sheet, i)
        yes = [r for r in sheet.records if r[field]]
        percent = 100 * len(yes) / 10
        readings: dict[str, set[Value]] = {
            "yes": {percent},
            "no": {100 - percent},
            "count": {len(yes)},
        }
        fair: dict[str, list[list[Value]]] = {
            "yes": [[percent / 100], [f"{percent:g}%"]],
            "no": [[1 - percent / 100], [f"{100 - percent:g}%"]],
        }
        found += family(
            CATEGORY,
            sheet.table,
            readings,
            [
                ("yes", f"What percentage of the {plural} {text['yes']}?"),
                ("no", f"What percentage of the {plural} {text['not']}?"),
            ],
            fair,
        )
        with_it, rows = Counter(r["group"] for r in yes), Counter(r["group"] for r in sheet.records)
        without = Counter(r["group"] for r in sheet.records if not r[field])
        extreme = {"with": top(with_it), "without": top(without), "rows": top(rows)}
        found += family(
            CATEGORY,
            sheet.table,
            extreme,
            [
                ("with", f"Which {group['noun']} has the most {plural} {text['with']}?"),
                ("without", f"Which {group['noun']} has the most {plural} {text['without']}?"),
            ],
        )
    return found


MAKERS = (lists, lists, single, shares)
