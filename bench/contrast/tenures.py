"""4b. Time in facts: offices held from a start to an end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from .frames import styled
from .lexicon import Entry, Lexicon
from .model import Graph, Question, family
from .sheets import MONTHS, day_text, random_day

CATEGORY = "time"


@dataclass(frozen=True)
class Tenure:
    person: str
    thing: str
    start: date
    end: date | None  # none: still in office

    def covers(self, first: date, last: date) -> bool:
        """Whether some day from first to last lies in the tenure."""
        return self.start <= last and (self.end is None or self.end >= first)


def tenures_of(words: Lexicon, rng: Random, office: Entry, years: bool) -> list[Tenure]:
    """Five holders of each of three offices; each person holds offices of two things at most."""
    things = words.names(office["names"], rng, 3)
    people = words.names("full" if rng.random() < 0.5 else "people", rng, 9)
    found = []
    for thing in things:
        day = random_day(rng, 1985, 1996)
        for i, person in enumerate(rng.sample(people, 5)):
            length = rng.randrange(900, 2600)
            end = day + timedelta(days=length)
            last = i == 4 and rng.random() < 0.7
            if years:
                found.append(
                    Tenure(
                        person,
                        thing,
                        date(day.year, 1, 1),
                        None if last else date(end.year, 12, 31),
                    )
                )
                day = date(end.year + rng.choice((0, 1, 1)), 7, 1)
            else:
                found.append(Tenure(person, thing, day, None if last else end))
                day = end + timedelta(days=rng.choice((1, 1, 200)))
    return found


def graph_of(tenures: list[Tenure], office: Entry, years: bool, rng: Random) -> Graph:
    form, person_first = rng.choice(
        (
            (office["part"], True),
            (f"{office['part']} by", False),
            (f"{office['agent']} of", True),
            (f"has {office['agent']}", False),
        )
    )
    predicate = styled(form, rng.choice(("snake", "space", "camel")))

    def text(day: date | None) -> str:
        return "" if day is None else str(day.year) if years else day.isoformat()

    lines = []
    for t in tenures:
        ends = (t.person, t.thing) if person_first else (t.thing, t.person)
        lines.append((ends[0], predicate, ends[1], text(t.start), text(t.end)))
    return Graph(rng.sample(lines, len(lines)), office["things"])


def by_year(words: Lexicon, rng: Random) -> list[Question]:
    """In, until, since, from … to, before and after a year."""
    office = rng.choice(words.relations("office"))
    tenures = tenures_of(words, rng, office, True)
    data = graph_of(tenures, office, True, rng)
    did, base = office["part"], office["base"]
    found = []
    for thing in sorted({t.thing for t in tenures}):
        mine = [t for t in tenures if t.thing == thing]

        def who(test: Callable[[Tenure], bool]) -> set[str]:
            return {t.person for t in mine if test(t)}

        t = rng.choice(mine[1:4])
        assert t.end is not None
        y, a, b = t.end.year, t.start.year, t.end.year
        inner = rng.randrange(a, b + 1)
        first, last = date(inner, 1, 1), date(inner, 12, 31)
        latest = mine[-1]
        readings = {
            "in": who(lambda t: t.covers(first, last)),
            "until": who(lambda t: t.end is not None and t.end.year == y),
            "started": who(lambda t: t.start.year == y),
            "exact": who(lambda t: (t.start.year, t.end and t.end.year) == (a, b)),
            "started before": who(lambda t: t.start.year < inner),
            "still after": who(lambda t: t.end is None or t.end.year > inner),
            "overlap": who(lambda t: t.covers(date(a - 1, 1, 1), date(b, 12, 31))),
            "started first": who(lambda t: t.start.year == a),
            "all": who(lambda t: True),
            "open": who(lambda t: t.end is None),
        }
        before = [
            who(lambda t: t.end is not None and t.end.year <= inner),
            who(lambda t: t.end is not None and t.end.year < inner),
        ]
        after = [who(lambda t: t.start.year > inner), who(lambda t: t.start.year >= inner)]
        asked = [
            ("in", f"Who {did} the {thing} in {inner}?"),
            (
                "in",
                words.choose(
                    f"Who was the {office['agent']} of the {thing} in {inner}?",
                    f"In {inner}, who {did} the {thing}?",
                ),
            ),
            ("until", f"Who {did} the {thing} until {y}?"),
            ("exact", f"Who {did} the {thing} from {a} to {b}?"),
            ("started", f"Who became {office['agent']} of the {thing} in {y}?"),
            ("until", f"Who stopped {office['gerund']} the {thing} in {y}?"),
            ("started first", f"Who began {office['gerund']} the {thing} in {a}?"),
            ("started before", f"Who {did} the {thing} before {inner}?"),
            ("still after", f"Who {did} the {thing} after {inner}?"),
            ("overlap", f"Who {did} the {thing} at some point from {a - 1} to {b}?"),
            (
                "open",
                words.choose(
                    f"Who is the current {office['agent']} of the {thing}?",
                    f"Who is the {office['agent']} of the {thing} now?",
                ),
            ),
        ]
        if latest.end is None:
            readings["since"] = {latest.person}
            asked.append(("since", f"Who has {did} the {thing} since {latest.start.year}?"))
        hidden = {
            "open": ["since"],
            "since": ["open"],
            "exact": ["until", "started first"],
            "until": ["exact", "started first", "in"],
            "started first": ["exact", "until", "in"],
            "in": ["exact", "until", "started first"],
            "started": ["in"],
        }
        got = []
        for meaning, text in asked:
            shown = {m: s for m, s in readings.items() if m not in hidden.get(meaning, ())}
            got += family(
                CATEGORY,
                data,
                shown,
                [(meaning, text)],
                {"started before": before, "still after": after},
                thing,
            )
        order = [m.person for m in mine]
        i = rng.randrange(1, 4)
        order_sets = {
            "before": {order[i - 1]},
            "after": {order[i + 1]},
            "first": {order[0]},
            "last": {order[-1]},
        }
        order_sets["others"] = set(order) - {order[i]}
        got += [
            q
            for m, text in (
                ("before", f"Who {did} the {thing} directly before {order[i]}?"),
                ("after", f"Who {did} the {thing} directly after {order[i]}?"),
            )
            for q in family(
                CATEGORY,
                data,
                {k: v for k, v in order_sets.items() if k in (m, "others", "before", "after")},
                [(m, text)],
                None,
                f"order {thing}",
            )
        ]
        p = mine[i]
        elsewhere = {
            v for t in tenures if t.person == p.person and t is not p for v in (t.start.year,)
        }
        got += family(
            CATEGORY,
            data,
            {"start": {p.start.year}, "end": {p.end.year} if p.end else set(), "other": elsewhere},
            [
                ("start", f"In which year did {p.person} begin {office['gerund']} the {thing}?"),
                ("end", f"Until which year did {p.person} {base} the {thing}?"),
            ],
        )
        found += got
    person = rng.choice(sorted({t.person for t in tenures}))
    held = [t for t in tenures if t.person == person]
    t = rng.choice(held)
    y = t.start.year + 1
    sets = {
        "then": {t.thing for t in held if t.covers(date(y, 1, 1), date(y, 12, 31))},
        "ever": {t.thing for t in held},
        "started": {t.thing for t in held if t.start.year == y},
    }
    return found + family(
        CATEGORY, data, sets, [("then", f"Which {office['thing']} did {person} {base} in {y}?")]
    )


def by_day(words: Lexicon, rng: Random) -> list[Question]:
    """On a day, in a month, until and since a day."""
    office = rng.choice(words.relations("office"))
    tenures = tenures_of(words, rng, office, False)
    data = graph_of(tenures, office, False, rng)
    did = office["part"]
    found = []
    for thing in sorted({t.thing for t in tenures}):
        mine = [t for t in tenures if t.thing == thing]

        def who(test: Callable[[Tenure], bool]) -> set[str]:
            return {t.person for t in mine if test(t)}

        t = rng.choice(mine[1:4])
        assert t.end is not None
        inner = t.start + (t.end - t.start) // 2
        start, end, latest = t.start, t.end, mine[-1]
        month_first = date(end.year, end.month, 1)
        month_last = date(end.year + end.month // 12, end.month % 12 + 1, 1) - timedelta(days=1)
        y = end.year
        readings = {
            "on": who(lambda t: t.covers(inner, inner)),
            "month": who(lambda t: t.covers(month_first, month_last)),
            "year": who(lambda t: t.covers(date(y, 1, 1), date(y, 12, 31))),
            "until": who(lambda t: t.end == end),
            "started before": who(lambda t: t.start < inner),
            "began": who(lambda t: t.start == latest.start),
            "all": who(lambda t: True),
            "began in year": who(lambda t: t.start.year == y),
            "next": {mine[mine.index(t) + 1].person},
        }
        asked = [
            ("on", f"Who {did} the {thing} on {day_text(inner, words)}?"),
            ("on", f"On {day_text(inner, words)}, who was the {office['agent']} of the {thing}?"),
            ("month", f"Who {did} the {thing} in {MONTHS[end.month - 1]} {end.year}?"),
            ("year", f"Who {did} the {thing} {words.choose('in', 'during')} {y}?"),
            ("until", f"Who {did} the {thing} until {day_text(end, words)}?"),
            (
                "on",
                f"Who {did} the {thing} from {day_text(start, words)} to {day_text(end, words)}?",
            ),
        ]
        if latest.end is None:
            asked += [
                ("began", f"Who has {did} the {thing} since {day_text(latest.start, words)}?"),
                (
                    "began",
                    words.choose(
                        f"Who is the current {office['agent']} of the {thing}?",
                        f"Who is the {office['agent']} of the {thing} now?",
                    ),
                ),
            ]
        hidden = {
            "on": ["until", "month", "year"],
            "until": ["on", "month", "year"],
            "month": ["until", "on", "year"],
            "year": ["month", "on", "until"],
            "began": ["next", "began in year"],
        }
        got = []
        for meaning, text in asked:
            shown = {m: s for m, s in readings.items() if m not in hidden.get(meaning, ())}
            got += family(CATEGORY, data, shown, [(meaning, text)], None, thing)
        starts = {"start": {start.isoformat()}, "end": {end.isoformat()}}
        got += family(
            CATEGORY,
            data,
            starts,
            [
                ("start", f"On which date did {t.person} begin {office['gerund']} the {thing}?"),
                ("end", f"Until which date did {t.person} {office['base']} the {thing}?"),
            ],
        )
        found += got
    return found


MAKERS = (by_year, by_day)
