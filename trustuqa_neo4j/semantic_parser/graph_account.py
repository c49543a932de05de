"""The account of words for a reading of a graph, and what else the question says that it does not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from ..lexicon.forms import stem
from ..lexicon.lexicon import Cue, skips_generation
from ..lexicon.word_spans import collect_positions
from ..lexicon.words import WORDS
from ..matching import split_words
from ..values import read_value
from .graph_kinds import find_kind_positions
from .graph_links import (
    ORGANISATIONS,
    PERSONS,
    PREPOSITIONS,
    SURE_STRENGTH,
    THINGS,
    GraphLinks,
    NameLink,
    find_asked_classes,
    find_mentions,
    is_said_twice,
    names_head,
)
from .graph_plans import (
    FactCount,
    FactDuration,
    FactTimes,
    MemberCount,
    MemberNames,
    Membership,
    MemberTotal,
)
from .graph_proposals import EXTREMES, GraphReading, is_class_hop
from .graph_view import Hop
from .graph_voice import contradicts_voice, find_noun_use, says_converse
from .question import PlainQuestion
from .reading import NUMBER_KINDS, explains_enough, fits_question_word
from .row_plans import Denoted
from .spelling import is_misspelt
from .word_account import WordAccount

MIN_PLAIN_EXPLAINED = 0.55  # of the content words that are not names or times
_COMPARATIVES = WORDS.times.earlier_or_later
_YEARS = WORDS.times.years
_STILL = WORDS.times.still
_SUBJECTS = WORDS.grammar.subject_pronouns | WORDS.grammar.requesters
_PERIODS = WORDS.times.counted_periods
_VALUE_NOUNS = WORDS.nouns.values
_ORDER_CUES = frozenset((*EXTREMES, "first", "last", "frequent"))
MIN_STRENGTH = 0.35
_PLAIN = frozenset(("one hop", "two hops", "class", "of class", "count", "time at"))
_BEFORE_RELATIONS = WORDS.grammar.before_relations
_CLAUSES = WORDS.grammar.clause_starts
_NUMBER_WORDS = (WORDS.numbers.cardinals.keys() | WORDS.numbers.ordinals.keys()) - {"one", "first"}
_BE_FORMS = WORDS.grammar.be_forms
_MEMBERSHIP = WORDS.nouns.memberships
_REFUSING = (
    "refused", "relation unsaid", "relation words left out", "noun left out", "half left out",
)  # fmt: skip


def is_refused(evidence: Mapping[str, float]) -> bool:
    """True if words are left out, or relations unsaid, that mostly mean something else."""
    return any(evidence.get(name) for name in _REFUSING)


@dataclass(frozen=True)
class GraphAccount(WordAccount):
    """Accounts for the words of a question in a reading of a graph."""

    links: GraphLinks
    reading: GraphReading

    @property
    def question(self) -> PlainQuestion:
        return self.links.question

    @cached_property
    def linked(self) -> frozenset[int]:
        """Words of the names of the reading."""
        return collect_positions(self.reading.links)

    @cached_property
    def has_preposition(self) -> bool:
        """True if the name of the reading stands after the preposition of the relation that leads to it."""
        reading = self.reading
        if not reading.links or not reading.hops:
            return False
        is_truth = isinstance(reading.plan, Membership)
        name, hop = reading.links[-1 if is_truth else 0], reading.hops[0]
        return hop.forward == is_truth and self.links.has_preposition(hop.relation, name)

    # Words that the reading uses

    @cached_property
    def explained(self) -> frozenset[int]:
        question, links, reading = self.question, self.links, self.reading
        relational = {p for p in reading.kinds if self._says_relation_by_place(p)}
        positions = set(self.linked | reading.positions | (reading.kinds - relational))
        is_class = bool(reading.kinds) or reading.selects_class
        free = links.free_nouns - question.decisive - question.present - self._other_classes
        if free and not is_class and self._leads_to_bearers() and self._says_relation():
            positions |= {p for p in free if not self._is_step(p)}
        for hop in reading.hops:
            match = links.match(hop.relation)
            for matches in (match.own, match.context):
                positions.update(p for p, strength in matches.items() if strength >= MIN_STRENGTH)
            positions.update(find_kind_positions(match))
        if isinstance(reading.plan, MemberCount) or not all(map(_is_value, reading.members)):
            generic = PERSONS | THINGS | ORGANISATIONS
            nouns = {p for p, word in enumerate(question.words) if word in generic}
            positions |= nouns - self._other_classes
        if "either" in reading.operators:
            positions |= self._find_alternatives()
        for cue in question.cues:
            if cue.operator in reading.cues and not self._is_event(cue, positions):
                positions |= cue.positions
        return frozenset(positions)

    def _is_step(self, noun: int) -> bool:
        """True for *Ann's admirer's* and *the admirer of* if a relation of the graph surely says the noun."""
        is_linked = self.question.words[noun + 1 : noun + 2] in (("s",), ("of",))
        relation = self.reading.hops[-1].relation
        return is_linked and self.links.says_other(noun, relation, SURE_STRENGTH)

    def _find_alternatives(self) -> frozenset[int]:
        """Return the position of *either* right before two names that *or* joins."""
        words, names = self.question.words, sorted(self.reading.links, key=lambda n: n.first)
        starts = {n.first for n, other in pairwise(names) if words[n.last : other.first] == ("or",)}
        before = (p for start in starts for p in (start - 1, start - 2) if p >= 0)
        return frozenset(
            p
            for p in before
            if words[p] in WORDS.grammar.alternatives
            and (p + 1 in starts or words[p + 1] in PREPOSITIONS)
        )

    @cached_property
    def _other_classes(self) -> frozenset[int]:
        """The positions of classes that are asked for and that the reading does not select."""
        return find_asked_classes(self.links) - self.linked

    def _says_relation_by_place(self, position: int) -> bool:
        """True in *whose host is …*, *managed by …*, *who hosts …*, *Ann's host* and *which firm owns …*.

        The word does not say what the answers are.
        """
        question = self.question
        words, before = question.words, question.words[position - 1 : position]
        is_verb = position in question.asked_verb or words[position + 1 : position + 2] == ("by",)
        is_after_noun = (
            position in self.links.named_relations and position - 1 in question.asked_noun
        )
        return is_verb or is_after_noun or not _BEFORE_RELATIONS.isdisjoint(before)

    def _is_event(self, cue: Cue, explained: Collection[int]) -> bool:
        """True for *married* if the relation of the reading does not say it."""
        words = {self.question.words[p] for p in cue.positions}
        is_event = not words.isdisjoint(self.question.lexicon.event_verbs)
        return is_event and cue.positions.isdisjoint(explained)

    def _leads_to_bearers(self) -> bool:
        """True if the relation need not say what is asked for: its heads, or who did something.

        In *which hobbies has the crew of missions*, another noun names the heads.
        """
        if not self.reading.hops:
            return False
        last = self.reading.hops[-1]
        if find_kind_positions(self.links.match(last.relation)) - self.links.nouns:
            return False
        return not last.forward or split_words(last.relation)[-1:] == ["by"]

    def _says_relation(self) -> bool:
        """True if words beside the noun that is asked for say the relation that leads to the answer."""
        hops = self.reading.hops
        if not hops:
            return False
        if self._find_sure_words(hops[-1]) - self.links.nouns - self.linked:
            return True
        # *the price of the game* does not say *expansion of*.
        is_membership = not _MEMBERSHIP.isdisjoint(split_words(hops[-1].relation))
        says_more = names_head(hops[-1].relation) and not is_membership
        return len(hops) == 1 and self.has_preposition and not says_more

    def _find_sure_words(self, hop: Hop) -> frozenset[int]:
        """Return the positions of words that surely say the relation."""
        own = self.links.match(hop.relation).own
        return frozenset(p for p, strength in own.items() if strength >= SURE_STRENGTH)

    # Words that it leaves out

    @cached_property
    def left_out(self) -> frozenset[int]:
        return (
            self.unexplained - (self.question.fillers - self.links.named_beside_head) - self._sums
        )

    @cached_property
    def _sums(self) -> frozenset[int]:
        """The position of *total* in *how many are there in total*."""
        words = self.question.words
        if not isinstance(self.reading.plan, MemberCount):
            return frozenset()
        return frozenset(p for p in range(1, len(words)) if words[p - 1 : p + 1] == ("in", "total"))

    @property
    def naming(self) -> frozenset[int]:
        """Names, words of relations, and numbers as in *at two different stations*."""
        words = self.question.words
        numbers = {p for p in self.left_out if words[p] in _NUMBER_WORDS}
        names = find_names_left_out(self.links, self.left_out)
        return self.question.names | self.links.written_positions | numbers | names

    @property
    def selecting(self) -> frozenset[int]:
        reading, question = self.reading, self.question
        decisive = question.decisive - self._sums
        if self.links.timed_relations.isdisjoint(hop.relation for hop in reading.hops):
            return decisive
        # *the present chair* can be the only one there was, but *still* says that it could have ended.
        is_one = len(reading.members) == 1 and isinstance(reading.plan, MemberNames)
        still = {p for p, word in enumerate(question.words) if word in _STILL}
        if question.is_dated:  # *did Ann still lead it in 2010*
            still.clear()
        return decisive.union(still) | (frozenset() if is_one else question.present)

    def weigh_words(self) -> Iterator[tuple[str, float]]:
        """Yield what is left out, by kind of word, and how surely the relations are said."""
        question, links, reading = self.question, self.links, self.reading
        of_relations = self.left_out & links.relation_positions
        light = frozenset(
            p
            for p in self.left_out - of_relations
            if question.words[p] in question.lexicon.light_verbs
        )
        left_out, nouns = self.left_out - light, self.left_out & (links.nouns | question.asked_noun)
        plain = question.content - self.linked - reading.positions - light
        is_half = not explains_enough(question, left_out) or (
            len(plain & left_out) > (1 - MIN_PLAIN_EXPLAINED) * len(plain)
        )
        yield "relation words left out", min(len(of_relations), 3) / 2
        asked = question.asked_noun - question.fillers
        yield "noun left out", float(bool(asked) and asked <= left_out)
        yield "half left out", float(is_half)
        yield "light verb left out", float(bool(light))
        yield "other nouns left out", min(len(nouns), 3) / 2
        yield "other words left out", min(len(left_out - nouns - of_relations), 3) / 2
        yield "relation unsaid", float(not self._names_relations())
        strengths = [
            max((s for p, s in own.items() if p not in self.linked), default=0.0)
            for own in (links.match(hop.relation).own for hop in reading.hops)
        ]
        if strengths:
            yield "least said relation", min(strengths)
            yield "relation unsaid, words left out", float(min(strengths) == 0 and bool(left_out))
        if reading.kinds or reading.selects_class:
            yield "kind of the answer named", 1.0

    # Why a reading is refused

    def find_refusals(self) -> Iterator[str]:
        yield from super().find_refusals()
        operators = self.reading.operators
        if not self._uses_superlative():
            yield "what is highest or lowest is left out"
        if contradicts_voice(self.links, self.reading):
            yield "the relation leads the other way"
        if self.reading.leaves_facts_out:
            yield "several relations have this meaning"
        if "class" in operators and self._asks_for_definition():
            yield "a definition is asked for"
        is_named = self._uses_mentions() and self._names_steps()
        if self._leaves_step_out() or self._adds_step() or not is_named:
            yield "the question says other steps"
        if not self._uses_clause():
            yield "the clause is left out"
        if self._asks_for_groups():
            yield "the question asks for groups or rates"
        if self._leaves_out_deed():
            yield "what somebody did is left out"
        if self._replaces_words():
            yield "the words left out can ask for something else"

    def _asks_for_groups(self) -> bool:
        """*how many singers in each choir* is not answered by one number."""
        return any(
            cue.last in self.question.content and cue.positions.isdisjoint(self.explained)
            for cue in self.question.sure_groups
        )

    def _leaves_out_deed(self) -> bool:
        """*what did we buy from the nursery* is not answered by the nursery."""
        words = self.question.words
        after = (p + 2 for p, word in enumerate(words) if word in WORDS.grammar.do_forms)
        deeds = {p for p in after if p in self.question.content and words[p - 1] in _SUBJECTS}
        relational = (self.links.match(hop.relation).own.keys() for hop in self.reading.hops)
        return not deeds <= self.linked.union(*relational)

    def _asks_for_definition(self) -> bool:
        """*what is a tree* is not answered by the trees."""
        words, articles = self.question.words, WORDS.grammar.indefinite_articles
        return words[:1] == ("what",) and any(
            words[p - 1] in articles and words[p - 2] in _BE_FORMS
            for p in self.question.head
            if p > 1
        )

    def _leaves_step_out(self) -> bool:
        """True if *who teaches Ann's coach* would be answered by her coach, or by her teacher.

        Another relation says *teaches* in the first case. In the second one says *coach*, which may mean a
        teacher too, but the verb says this relation more surely.
        """
        links, reading = self.links, self.reading
        if "one hop" not in reading.operators or len(reading.hops) != 1 or not reading.links:
            return False
        use, hop = find_noun_use(links, reading.links[0]), reading.hops[0]
        own = links.match(hop.relation).own
        if use is None or not use.is_asked or own.get(use.position, 0.0) < SURE_STRENGTH:
            return False
        asked = frozenset(sorted(self.question.asked_noun)[:1])
        phrase = self._find_noun_phrase(use.position + 1)
        said = own[use.position]
        is_said_apart = any(own[p] > said for p in own.keys() - phrase - self.linked)
        if is_said_apart and links.says_other(use.position, hop.relation, said):
            return True
        return any(
            links.says_other(p, hop.relation, max(SURE_STRENGTH, own.get(p, 0.0)))
            for p in self.question.content - self.linked - phrase - asked
        )

    def _adds_step(self) -> bool:
        """True if *who reports to Bo and Cid*, which says one step from each, would be two from Cid."""
        reading = self.reading
        if "both" not in reading.operators:
            return False
        ways = (reading.hops[: reading.second_way], reading.hops[reading.second_way :])
        repeated = {first.relation for first, *further in ways if first in further}
        return any(len(find_mentions(self.links, r, self.linked)) == 1 for r in repeated)

    def _find_noun_phrase(self, end: int) -> frozenset[int]:
        """Return the positions of the content words right before ``end``."""
        before = takewhile(self.question.content.__contains__, range(end - 1, -1, -1))
        return frozenset(before)

    def _replaces_words(self) -> bool:
        """True if what is left out says another relation, or another kind of thing.

        *the president of NASA* is not an administrator, *where did Ann study* is not a birthplace, and what
        the question asks for by an unknown noun is found only if a verb says how.
        """
        question, links, words = self.question, self.links, self.question.words
        if leaves_out_class(links, self.left_out):
            return True
        left_out = frozenset(p for p in self.left_out if not is_misspelt(words[p]))
        if any(self._names_other_relation(link, left_out) for link in self.reading.links):
            return True
        if not left_out or not {*self.reading.operators} <= _PLAIN:
            return False
        sure = frozenset[int]().union(*map(self._find_sure_words, self.reading.hops)) - self.linked
        verbs = {
            p
            for p in sure - links.nouns
            if words[p + 1 : p + 2] != ("of",)
            or not WORDS.grammar.object_pronouns.isdisjoint(words[p + 2 : p + 3])  # *of which*
            or self._is_predicate(p)
        }
        if question.asked_noun and question.asked_noun <= left_out and not verbs:
            return True
        return not sure and bool(left_out - links.nouns - question.asked_noun)

    def _names_other_relation(self, link: NameLink, left_out: frozenset[int]) -> bool:
        """True for *the president of NASA* and *Ann's salary*, but not for *the village of Osmery*."""
        words, before = self.question.words, self.links.find_word_before(link)
        if before > 0 and words[before] == "of":
            noun, kind = self._find_noun_phrase(before), words[before - 1]
            is_kind = stem(kind) in self.question.lexicon.places or kind in ORGANISATIONS
            return bool(noun) and noun <= left_out and not is_kind
        possessed = link.last + 1
        return words[link.last : possessed] == ("s",) and possessed in left_out

    def _is_predicate(self, noun: int) -> bool:
        """True for *capital* in *which towns have been the capital of …*."""
        asked = max(self.question.asked_noun, default=noun)
        return asked < noun and not _BE_FORMS.isdisjoint(self.question.words[asked + 1 : noun])

    def _uses_superlative(self) -> bool:
        """*the tallest mountain* asks for one of them, though *tallest* also names the relation.

        *main* in *the cheapest main dish* may say an extreme too, and is not the one that is asked for.
        """
        words, used = self.question.words, self.reading.cues
        comparable = self.question.lexicon.dimensions.keys() | _COMPARATIVES
        compared: dict[int, set[str]] = {}
        for cue in self.question.cues:
            word = words[cue.first]
            if cue.operator in EXTREMES and word in comparable and word.endswith(("est", "er")):
                compared.setdefault(cue.first, set()).add(cue.operator)
        if used & EXTREMES.keys():
            return not any(used.isdisjoint(operators) for operators in compared.values())
        return bool(used & _ORDER_CUES) or compared.keys() <= self.reading.positions

    def _uses_mentions(self) -> bool:
        """*films directed by the director of Alien* say a relation twice: one step by it is not enough."""
        hops = self.reading.hops
        if not {"one hop", "two hops"} & {*self.reading.operators}:
            return True
        if any(map(skips_generation, self.question.words)):
            return len(hops) == 2 and hops[0] == hops[1]
        relations = [hop.relation for hop in hops]
        for relation in relations:
            is_once = relations.count(relation) == 1
            if is_once and is_said_twice(self.links, relation, self.linked):
                return False
            # *what needs the engine* is one step, though *needs* would say two.
            if not is_once and len(find_mentions(self.links, relation, self.linked)) == 1:
                return False
        return True

    def _uses_clause(self) -> bool:
        """*where did Ann live when she won the prize* asks for a place at that time."""
        question = self.question
        has_clause = question.kind != "when" and not _CLAUSES.isdisjoint(question.words[1:])
        return not has_clause or "while" in self.reading.cues

    def _names_steps(self) -> bool:
        """Each of several steps is said, or a noun names what the first leads to."""
        if "two hops" not in self.reading.operators or self.reading.positions:
            return True
        return all(map(self._is_said, self.reading.hops))

    def _is_said(self, hop: Hop) -> bool:
        match = self.links.match(hop.relation)
        words = match.own.keys() | match.context.keys() | find_kind_positions(match)
        return is_class_hop(hop) or bool(words - self.linked)

    def fits_question_word(self) -> bool:
        question, links, reading = self.question, self.links, self.reading
        plan, last = reading.plan, reading.hops[-1] if reading.hops else None
        if isinstance(plan, FactTimes) and (
            question.kind in (*NUMBER_KINDS, "where", "who")
            or not reading.positions
            or (plan.key == "time" and self._asks_date())
        ):
            return (
                False  # *how long*: the years of a period are not a number; *where did they move*
            )
        if isinstance(plan, MemberCount) and frozenset() < question.asked_words <= _PERIODS:
            return False  # *for how many years* is not answered by a number of clubs
        is_path = not isinstance(
            plan, FactTimes | FactDuration | FactCount | MemberCount | MemberTotal
        )
        # *painted by* leads to who did it, never to a place or time.
        names_agent = (
            last is not None and last.forward and split_words(last.relation)[-1:] == ["by"]
        )
        asks_circumstance = question.kind in ("where", "when", "how many", "how much")
        is_agent_place = names_agent and last is not None and says_converse(links, last)
        if (
            names_agent
            and (asks_circumstance or links.asks_place)
            and is_path
            and not is_agent_place
        ):
            return False
        are_values = all(map(_is_value, reading.members))
        if is_path and are_values and self._asks_no_value():
            return False
        if is_path and not are_values and _YEARS & {question.words[p] for p in links.nouns}:
            return False
        relations = [hop.relation for hop in reading.hops]
        return fits_question_word(question, reading.members, relations)

    def _asks_date(self) -> bool:
        """True for *on which date* and *which day*, to which a year is not an answer."""
        question = self.question
        return not WORDS.times.days.isdisjoint(question.words[p] for p in question.head)

    def _asks_no_value(self) -> bool:
        """True for *where* and for a noun that no relation says: *which yard built it* asks for no year."""
        question = self.question
        if question.kind == "where":
            return True
        nouns = question.asked_words
        is_plain = question.kind in ("which", "what") and not nouns & (_VALUE_NOUNS | PERSONS)
        return bool(nouns) and is_plain and question.asked_noun <= self.links.free_nouns

    def _names_relations(self) -> bool:
        """A path needs one relation that is said; two names need none, if one fact joins them."""
        reading, operators = self.reading, self.reading.operators
        named = [self._is_named(hop) for hop in reading.hops]
        if "two hops" in operators and self._is_said_once():
            return False
        if "both" in operators:
            return all(named)
        if "common" in operators:
            return True
        if reading.kinds and len(reading.hops) == 1 and self.has_preposition:
            return True
        if "two hops" in operators and not named[0]:
            # The first step may be unsaid if a noun names what it leads to: *who directed the films of Ann*.
            return bool(reading.positions)
        return len(reading.links) > 1 or any(named)

    def _is_said_once(self) -> bool:
        """True if one hop has no words but those that say the other better.

        *programme director of* is one relation, though *director* is a manager too.
        """
        first, second = (
            {p: s for p, s in self.links.match(hop.relation).own.items() if p not in self.linked}
            for hop in self.reading.hops[:2]
        )
        return bool(first and second) and (
            (first.keys() == second.keys() and len(first) == 1)
            or all(strength < second.get(p, 0) for p, strength in first.items())
            or all(strength < first.get(p, 0) for p, strength in second.items())
        )

    def _is_named(self, hop: Hop) -> bool:
        """True if words of the question or its question word say the relation; a class says its own."""
        match = self.links.match(hop.relation)
        words = frozenset(match.own) | frozenset(match.context) | match.bearers
        is_said = bool(words - self.linked) or match.fits_question_word(hop.forward)
        return is_class_hop(hop) or is_said


def find_names_left_out(links: GraphLinks, left_out: frozenset[int]) -> frozenset[int]:
    """Return the words of names that are left out whole, also in small letters."""
    names = (link for link in links.names if link.tier == "name" and link.positions <= left_out)
    return collect_positions(names)


def leaves_out_class(links: GraphLinks, left_out: frozenset[int]) -> bool:
    """True for *in which county does the mill lie*, if counties are in the data."""
    classes = (link.positions for link in links.names if link.tier == "name" or link.is_plural)
    return any(positions <= left_out & links.question.head for positions in classes)


def _is_value(member: Denoted) -> bool:
    return not isinstance(member, str) or read_value(member) is not None
