"""Forms of a relation: as the predicate of a fact, and in questions."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from random import Random

from .lexicon import Entry, Lexicon
from .model import Answers, Graph

Pair = tuple[str, str]  # agent, patient


def styled(predicate: str, style: str) -> str:
    """`managed by` in the style of the file."""
    if style == "camel":
        first, *rest = predicate.split()
        return first + "".join(word.capitalize() for word in rest)
    return predicate.replace(" ", "_") if style == "snake" else predicate


def predicates(relation: Entry) -> dict[str, tuple[str, bool]]:
    """Each form that a file can use, with whether the agent comes first.

    A bare noun is a property of the first name (`X manager Y`: the manager of X is Y);
    it is left out when the noun is the verb, too, and thus could be read both ways.
    """
    forms: dict[str, tuple[str, bool]] = {}
    base, part, agent = relation.get("base"), relation.get("part"), relation.get("agent")
    patient, be = relation.get("patient"), "was" if relation.get("tense") == "past" else "is"
    if base:
        forms["verb"] = (f"{relation['verb']} {relation.get('prep', '')}".strip(), True)
    if part:
        forms["passive"] = (f"{part} by", False)
        forms["is passive"] = (f"{be} {part} by", False)
    if agent:
        if agent != base:
            forms["noun"] = (agent, False)
        forms["has noun"] = (f"has {agent}", False)
        forms["noun of"] = (f"{agent} of", True)
        forms["is noun of"] = (f"is {agent} of", True)
    if patient:
        forms["patient noun"] = (patient, True)
        forms["has patient"] = (f"has {patient}", True)
        forms["patient of"] = (f"{patient} of", False)
    return forms


@dataclass
class Facts:
    """Who acts on whom under one relation, and how the file says it."""

    relation: Entry
    pairs: list[Pair]
    form: str
    lines: list[tuple[str, ...]] = field(default_factory=list)

    def agents(self, *names: str) -> set[str]:
        return {a for a, p in self.pairs if p in names}

    def patients(self, *names: str) -> set[str]:
        return {p for a, p in self.pairs if a in names}


def acyclic_pairs(names: list[str], rng: Random, chain: bool = False) -> list[Pair]:
    """Pairs without cycles; most names act and are acted on."""
    order = rng.sample(names, len(names))
    if chain:
        cut = len(order) // 2
        halves = (order[:cut], order[cut:])
        return [pair for half in halves for pair in itertools.pairwise(half)]
    pairs = {(order[rng.randrange(i)], order[i]) for i in range(1, len(order))}
    while len(pairs) < len(names) * 3 // 2:
        i, j = sorted(rng.sample(range(len(order)), 2))
        pairs.add((order[i], order[j]))
    return rng.sample(sorted(pairs), len(pairs))


def facts_of(
    relation: Entry, names: list[str], rng: Random, style: str, pairs: list[Pair] | None = None
) -> Facts:
    """Facts under one relation; one file in eight says it in two forms."""
    if pairs is None:
        pairs = acyclic_pairs(names, rng, relation.get("order") == "chain")
    forms = predicates(relation)
    used = rng.sample(sorted(forms), 2 if len(forms) > 1 and rng.random() < 0.125 else 1)
    facts = Facts(relation, pairs, " + ".join(used))
    for agent, patient in pairs:
        predicate, agent_first = forms[rng.choice(used)]
        ends = (agent, patient) if agent_first else (patient, agent)
        facts.lines.append((ends[0], styled(predicate, style), ends[1]))
    return facts


def graph_of(name: str, rng: Random, *groups: list[tuple[str, ...]]) -> Graph:
    """One file of the facts, in a random order."""
    lines = [line for group in groups for line in group]
    return Graph(rng.sample(lines, len(lines)), name)


def slots(words: Lexicon, relation: Entry, number: int) -> dict[str, str]:
    """What a question template needs, for an answer of one or of many."""
    kind = words.kinds[relation["kind"]]
    person, one = kind["one"] == "person", number == 1
    past = relation.get("tense") == "past"
    prep = (" " + relation["prep"]) if "prep" in relation else ""
    third, base = relation.get("verb", "") + prep, relation.get("base", "") + prep
    plural_verb = third if past else base
    is_, are = ("was", "were") if past else ("is", "are")
    which = kind["one"] if one else kind["many"]
    single = person or one  # "who" takes a singular verb
    agent, patient = relation.get("agent", ""), relation.get("patient", "")
    possessive = (
        "whose" if person else f"which {kind['one']}'s" if one else f"which {kind['many']}'"
    )
    return {
        "many": kind["many"],
        "base": base,
        "part": relation.get("part", ""),
        "who": "who" if person else f"which {which}",
        "whom": "whom" if person else f"which {which}",
        "Who": "Who" if person else f"Which {which}",
        "Whom": "Whom" if person else f"Which {which}",
        "By_whom": "By whom" if person else f"By which {which}",
        "Whose": possessive.capitalize(),
        "those_who": f"the {which} " + ("who" if person else "that"),
        "those_whom": f"the {which} " + ("whom" if person else "that"),
        "verb_1": third,
        "verb_q": third if single else plural_verb,
        "verb_n": third if one else plural_verb,
        "verb_m": plural_verb,
        "be_1": is_,
        "be_q": is_ if single else are,
        "be_n": is_ if one else are,
        "be_m": are,
        "has_q": "has" if single else "have",
        "has_n": "has" if one else "have",
        "does": "did" if past else "does",
        "n": agent,
        "N": agent if one else relation.get("agents", ""),
        "Nm": relation.get("agents", ""),
        "P": patient if one else relation.get("patients", ""),
        "Pm": relation.get("patients", ""),
    }


def wordings(
    words: Lexicon, side: str, relation: Entry, name: str, answers: Answers | set[str], rng: Random
) -> list[tuple[str, str]]:
    """All forms (form, text) in which one side of a relation can be asked for."""
    needs = {
        "active": ["base"],
        "passive": ["part"],
        "genitive": ["agent"],
        "of": ["agent"],
        "having": ["agent"],
        "whose": ["agent"],
    }
    if side.startswith("patient"):
        needs |= {"genitive": ["patient"], "of": ["patient"]}
    if side == "patient_count":
        needs["having"] = ["patient"]
    values = slots(words, relation, len(answers)) | {"X": name}
    found = []
    for form, keys in needs.items():
        known = form in words._templates[side]
        if known and all(key in relation for key in keys):
            found.append((form, rng.choice(words.templates(side, form)).format(**values)))
    return found
