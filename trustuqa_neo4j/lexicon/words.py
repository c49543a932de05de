"""The words of the language by subject: ``WORDS.grammar.auxiliaries``. Each is read when first needed."""

# Annotations of fields are types here and not texts, since ``load_words`` reads them.

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .chapters import load_words


@dataclass(frozen=True)
class GrammarWords:
    """Words that build a sentence, as ``normalize_name`` writes them: *don't* is ``dont``."""

    auxiliaries: frozenset[str]
    """Forms of *be*, *do* and *have*, and modal verbs."""

    do_forms: frozenset[str]
    """Forms of *do* before a subject."""

    negations: frozenset[str]
    """Words that negate or exclude."""

    coordinations: frozenset[str]
    """Words that join or offer two."""

    question_words: frozenset[str]
    """Words with which questions begin."""

    optional: frozenset[str]
    """Other words that a question can have or lack without another meaning."""

    stop_words: frozenset[str]
    """Words that say how a question is built, not what it is about."""

    articles: frozenset[str]
    """Articles."""

    indefinite_articles: frozenset[str]
    """Articles that stand for *one*."""

    prepositions: frozenset[str]
    """Prepositions between a verb or noun and a name."""

    attribute_prepositions: frozenset[str]
    """Prepositions after the noun of an attribute: *the key for*."""

    object_prepositions: frozenset[str]
    """Prepositions between a verb and its object."""

    target_prepositions: frozenset[str]
    """Prepositions towards the superior: *reports to*."""

    owner_signs: frozenset[str]
    """Words before a noun that belongs to someone; ``s`` is the rest of *Ann's*."""

    before_relations: frozenset[str]
    """Words before a verb or noun that says a relation."""

    have_forms: frozenset[str]
    """Forms of *have*."""

    modals: frozenset[str]
    """Words after *how* in a question for advice."""

    commands: frozenset[str]
    """Verbs that ask to change the data."""

    bearing: frozenset[str]
    """Words that lead from a thing to what it has."""

    containing: frozenset[str]
    """Words that lead to a part of a text."""

    exact: frozenset[str]
    """Words for no more and no less."""

    determiners: frozenset[str]
    """Words before a noun or a name, beside articles."""

    indefinites: frozenset[str]
    """Phrases for whom a negation excludes."""

    contrasts: frozenset[str]
    """Words between two conditions of which both hold."""

    alternatives: frozenset[str]
    """Words before two conditions of which one holds."""

    disjunctions: frozenset[str]
    """Words between two of which one holds, or neither."""

    conjunctives: frozenset[str]
    """Words before two conditions or members of which both are meant."""

    universals: frozenset[str]
    """Words before a noun for all of its kind."""

    plural_signs: frozenset[str]
    """Words of questions for several."""

    distributives: frozenset[str]
    """Words of questions for each of several."""

    any: frozenset[str]
    """Words of questions whether there is one."""

    possessives: frozenset[str]
    """Possessive pronouns."""

    requesters: frozenset[str]
    """Subjects of a request: *can you show*."""

    relative_pronouns: frozenset[str]
    """Pronouns that begin a clause."""

    clause_prepositions: frozenset[str]
    """Prepositions that end a head noun."""

    text_ends: frozenset[str]
    """Words that end a text."""

    noun_starts: frozenset[str]
    """Words before a noun."""

    own_determiners: frozenset[str]
    """Words before a noun for the data."""

    bound_words: frozenset[str]
    """Words before a bound."""

    correctable: frozenset[str]
    """Question words that may have a typing error."""

    place_prepositions: frozenset[str]
    """Prepositions that lead to a place."""

    be_forms: frozenset[str]
    """Forms of *be* between a noun and a participle."""

    object_pronouns: frozenset[str]
    """Words for the object of a clause."""

    subject_pronouns: frozenset[str]
    """Pronouns for a subject."""

    references: frozenset[str]
    """Words for what was named before."""

    clause_starts: frozenset[str]
    """Words that begin a clause of time."""

    nounless_question_words: frozenset[str]
    """Question words that need no noun."""

    genitives: frozenset[str]
    """Words between a thing and its owner."""

    manner_words: frozenset[str]
    """Words before an adverb that selects nothing: *how far*."""

    number_joins: tuple[str, ...]
    """Words between two numbers of one scale."""

    location_prepositions: frozenset[str]
    """Prepositions before the data as a whole."""

    attribute_words: frozenset[str]
    """Words that make a column an attribute."""

    number_questions: frozenset[str]
    """Questions for a number."""

    amount_questions: frozenset[str]
    """Questions for an amount."""

    quantifiers: frozenset[str]
    """Superlatives of amounts."""

    diminishing: frozenset[str]
    """Comparatives of smaller amounts."""

    ranges: Mapping[str, str]
    """Prepositions of a range, with the word between its ends."""

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Words that a question can have or lack; question words are compared apart."""
        return self.optional | self.auxiliaries | self.question_words


@dataclass(frozen=True)
class NumberWords:
    """Numbers in words."""

    cardinals: Mapping[str, int]
    """*two* and the like."""

    decades: Mapping[str, int]
    """First years of *the eighties* and the like."""

    ordinals: Mapping[str, int]
    """*second* and the like."""

    frequencies: Mapping[str, int]
    """*twice* and the like."""

    factors: Mapping[str, int]
    """Words that multiply the number before them."""


@dataclass(frozen=True)
class TimeWords:
    """Words for times."""

    months: tuple[str, ...]
    """Names of the months, in their order."""

    weekdays: tuple[str, ...]
    """Names of the days of a week, from Monday on."""

    days: frozenset[str]
    """Nouns for one day."""

    counted_periods: frozenset[str]
    """Units that are counted."""

    longer_periods: frozenset[str]
    """Stems of nouns for more than a day."""

    bounds: frozenset[str]
    """Words that bound a time, beside a year too."""

    date_parts: Mapping[str, str]
    """Words for the times that rows are grouped by, with the function for this part of a date."""

    group_adjectives: frozenset[str]
    """Adjectives and adverbs that group by a time, such as *monthly*; keys of ``date_parts``."""

    seasons: frozenset[str]
    """Names of the seasons."""

    still: frozenset[str]
    """Words for what was so before and is so now."""

    present: frozenset[str]
    """Words for now, which select what holds."""

    nouns: frozenset[str]
    """Nouns that a time answers."""

    adjacent: frozenset[str]
    """Words that make *after* mean the next."""

    neighbours: frozenset[str]
    """Words for what stands beside."""

    arrivals: frozenset[str]
    """Verbs before *after*."""

    years: frozenset[str]
    """Nouns that a year answers."""

    time_words: frozenset[str]
    """Words of questions for a time or duration."""

    longest: frozenset[str]
    """Superlatives of durations."""

    longer: frozenset[str]
    """Words that compare durations."""

    terms: frozenset[str]
    """Words for the time of an office."""

    earlier_or_later: frozenset[str]
    """Comparatives of times."""


@dataclass(frozen=True)
class NounWords:
    """Nouns by what they name."""

    amounts: frozenset[str]
    """Nouns of amounts: a number such as 1950 in a column of this name is not a year."""

    totals: frozenset[str]
    """Stems of nouns for amounts of rows that are added up."""

    periods: frozenset[str]
    """Nouns of times: with one of them, a name of an amount names a time."""

    reasons: frozenset[str]
    """Nouns that a reason answers."""

    parts: frozenset[str]
    """Nouns that say nothing before *of*."""

    registers: frozenset[str]
    """Nouns for the data as a whole."""

    amount_starts: frozenset[str]
    """Words before the noun that is counted, or that ranks after *by*."""

    texts: frozenset[str]
    """Words that introduce a text."""

    names: frozenset[str]
    """Nouns for the names of rows."""

    plurals: Mapping[str, str]
    """Singulars by plurals that are not the singular with an s."""

    persons: frozenset[str]
    """Words for any person."""

    organisations: frozenset[str]
    """Words for any organisation."""

    things: frozenset[str]
    """Words for anything."""

    places: frozenset[str]
    """Words for places, which answer *where*."""

    values: frozenset[str]
    """Nouns that a value answers."""

    kinds: frozenset[str]
    """Nouns before *of* and what they are of."""

    type_relations: frozenset[str]
    """Relations that lead to a class."""

    memberships: frozenset[str]
    """Nouns of relations between a part and its whole."""


@dataclass(frozen=True)
class VerbWords:
    """Verbs by what they say."""

    events: frozenset[str]
    """Participles after which *first* and *next* mean times."""

    phrasal_events: tuple[str, ...]
    """Such verbs of two words."""

    before_after: frozenset[str]
    """Verbs that *after* belongs to: *named after*."""

    learning: frozenset[str]
    """Verbs whose subject is the one who is taught."""

    converses: frozenset[str]
    """Verbs that say the converse of a relation."""

    moves: frozenset[str]
    """Verbs of a change: *at* a time is then."""

    returns: frozenset[str]
    """Words for a second time."""

    following: frozenset[str]
    """Words for who came directly after."""

    preceding: frozenset[str]
    """Words for who came directly before."""

    successions: tuple[str, ...]
    """Verbs of successions of several words."""

    nothing_left: tuple[str, ...]
    """Phrases for an amount of zero."""


@dataclass(frozen=True)
class ColumnWords:
    """Words of the names of columns."""

    names: frozenset[str]
    """Words of columns that name rows."""

    places: frozenset[str]
    """Last words of columns that name places."""

    identifiers: frozenset[str]
    """Last words of columns that identify."""

    numbers: frozenset[str]
    """Words after a name that ask for its identifier."""

    participles: frozenset[str]
    """Participles of columns of yes and no."""

    generic: frozenset[str]
    """Words of many columns, which say nothing of what was done: *built* is not a ``Date sold``."""

    percentages: frozenset[str]
    """Words of columns of shares."""

    counts: frozenset[str]
    """Words of columns that say how many of a thing a row has."""

    number_heads: frozenset[str]
    """Nouns that say nothing after that of a column of numbers."""

    text_heads: frozenset[str]
    """Nouns that say nothing after that of a column of texts."""

    quantities: Mapping[str, frozenset[str]]
    """Words of columns by the quantity that they measure."""

    true_texts: frozenset[str]
    """Cells that say yes."""

    false_texts: frozenset[str]
    """Cells that say no."""


@dataclass(frozen=True)
class Endings:
    """Endings of words."""

    verbs: tuple[str, ...]
    """Endings of verbs: *delivered*."""

    nouns: tuple[str, ...]
    """Endings of nouns of verbs: *payment*."""

    verbal_nouns: tuple[str, ...]
    """Endings without which a noun is its verb: *delivery*."""

    actors: tuple[str, ...]
    """Endings of nouns for who does or gets something."""

    persons: tuple[str, ...]
    """Endings of nouns for persons."""

    agents: tuple[str, ...]
    """Endings of nouns for who acts."""

    professions: tuple[str, ...]
    """Endings of columns of persons."""

    affixes: frozenset[str]
    """Beginnings and endings that are not words of their own."""


@dataclass(frozen=True)
class Wordings:
    """Other wordings of the same."""

    replacements: tuple[tuple[str, ...], ...]
    """Patterns with what replaces them, in their order."""


@dataclass(frozen=True)
class ComparisonWords:
    """Words that compare or select one end of an order, in queries and target types."""

    greater: frozenset[str]
    """Comparatives and prepositions of what is greater or later."""

    less: frozenset[str]
    """Comparatives and prepositions of what is less or earlier."""

    equal: frozenset[str]
    """Words for equality."""

    bounds: frozenset[str]
    """Other words of phrases that compare, such as *at most*."""

    upper_ends: frozenset[str]
    """Words that select the upper end of an order, without the ambiguous: *oldest*, *fastest*."""

    lower_ends: frozenset[str]
    """Words that select the lower end of an order."""

    operators: Mapping[str, tuple[str, ...]]
    """Forms in which models write an operator."""


@dataclass(frozen=True)
class TargetWords:
    """Words of a target type, which says what a query is asked for."""

    truths: frozenset[str]
    """Words for yes or no."""

    choices: tuple[str, ...]
    """Words for one of two words."""

    amounts: tuple[str, ...]
    """Words for a number."""


@dataclass(frozen=True)
class FunctionWords:
    """Words of composed names such as ``get_average``, and names that models give to parts of a query."""

    verbs: frozenset[str]
    """Verbs before the name of a function, which do not change its meaning."""

    tests: frozenset[str]
    """Words before the name of a function with a truth."""

    nouns: frozenset[str]
    """Nouns beside the name of a function, which do not change its meaning."""

    relative: frozenset[str]
    """Words with which a difference is not a distance."""

    step_lists: tuple[str, ...]
    """Keys of a list of steps in JSON, the first that is there counts."""

    step_texts: tuple[str, ...]
    """Keys of the text of a step."""

    function_keys: tuple[str, ...]
    """Keys of the function of a step."""

    argument_keys: tuple[str, ...]
    """Keys of its arguments."""

    number_keys: tuple[str, ...]
    """Keys of its number."""

    conditions: frozenset[str]
    """Parameters that hold a condition."""

    subjects: frozenset[str]
    """Names that conditions have for their member."""

    aggregates: frozenset[str]
    """Parameters that name what is computed of a group."""

    differences: Mapping[str, str]
    """Units of a difference, with the function that counts in them."""


@dataclass(frozen=True)
class FunctionCue:
    """Patterns of questions in lower case that call for functions."""

    patterns: tuple[str, ...]
    """Regular expressions, any of which is found."""

    functions: tuple[str, ...]
    """Names of the table of functions."""

    call: str
    """Shows their use, if that is not plain."""


@dataclass(frozen=True)
class FunctionCues:
    """Words of a question, with the functions that its prompt explains."""

    cues: tuple[FunctionCue, ...]
    """In the order of the prompt."""


@dataclass(frozen=True)
class RequestWords:
    """Words of texts that are not read as questions."""

    instruction_verbs: tuple[str, ...]
    """Verbs that tell a model what not to heed."""

    instruction_objects: tuple[str, ...]
    """Nouns after these verbs."""

    unfinished_ends: frozenset[str]
    """Words with which no question ends."""


@dataclass(frozen=True)
class FollowUpRule:
    """A rule that makes the query of a follow-up from the query before it."""

    name: str
    """Its name in the trace."""

    patterns: tuple[str, ...]
    """Regular expressions for the whole text; ``start`` and ``rest`` are what the data explain."""

    makes: str
    """A row of the table of edits."""


@dataclass(frozen=True)
class FollowUpWords:
    """Words by which a question follows another."""

    openers: tuple[str, ...]
    """Patterns of the words before it."""

    closers: tuple[str, ...]
    """Patterns of the words after it."""

    courtesies: str
    """Pattern of words that ask for nothing."""

    requests: str
    """Pattern of polite beginnings, which do not say that a question follows another."""

    fragments: tuple[str, ...]
    """Beginnings that make a question of a fragment."""

    bearers: str
    """The beginning for what stands after *with*."""

    rows: str
    """A request for the names of all rows."""

    pronouns: Mapping[str, str]
    """Words that refer: to a person, several (plural), an owner (or an object at the end), a place."""

    noun_questions: tuple[str, ...]
    """Question words before a noun, to which a possessive pronoun refers."""

    members: tuple[str, ...]
    """Question words for the members of a set."""

    time_ends: tuple[str, ...]
    """Operators that select the first or last fact."""

    grouping: frozenset[str]
    """Words of a request for groups that say no more than the last question."""

    other_groups: frozenset[str]
    """Words for the groups that the last question left out."""

    ordinals: frozenset[str]
    """Words that select in time, or by place in the last answer."""

    times: Mapping[str, str]
    """Operators for another time of the last fact, with what they select: an end of an order, or a key."""

    negation: str
    """Pattern of a negated auxiliary's ending."""

    nouns: tuple[str, ...]
    """Patterns of a question for what a ``noun`` names, which ``asked`` has with the question word."""

    phrases: str
    """Pattern of what asks for more about the last question, if that is answered by yes or no."""

    wholes: str
    """Pattern of all members of a ``noun``."""

    ones: str
    """Pattern of words that stand for the noun of the last question."""

    tenures: frozenset[str]
    """Words for having an office, or coming to one, which say nothing of their own."""

    all_members: frozenset[str]
    """Words of a question for the members of all data, that names none of them."""

    moments: tuple[str, ...]
    """Patterns of the time of the last question."""

    rankings: frozenset[str]
    """Requests for an order with the greatest first."""

    superlatives: Mapping[str, str]
    """Superlatives of comparatives, where one of several is asked for."""

    shift: str
    """Pattern of a time a number of years, weeks or days after or before that of the last question."""

    counted: str
    """The beginning of a question for the number of members."""

    bearing: str
    """Pattern of a verb for what members have."""

    totals: frozenset[str]
    """Words for a sum, which may end a question."""

    distributives: frozenset[str]
    """Words for one answer for each member."""

    others: str
    """Pattern of words for all but those that are known."""

    later: frozenset[str]
    """Words of it for a year after."""

    comparisons: tuple[str, ...]
    """Words before a pronoun for what the question itself names."""

    nouns_after: str
    """Pattern of a noun with a word that refers."""

    not_fragments: tuple[str, ...]
    """Words with which a request begins."""

    empty: frozenset[str]
    """Words that say nothing beside an operation, with those of grammar."""

    persons: tuple[str, ...]
    """Nouns for any person."""

    opposites: Mapping[str, str]
    """Upper ends of orders in queries, with their lower ends."""

    operations: Mapping[str, str]
    """Functions, *explanation* and *members*, each with the pattern of its words."""

    rules: tuple[FollowUpRule, ...]
    """The first that fits counts."""


@dataclass(frozen=True)
class SentenceWords:
    """Templates of answers as sentences."""

    single: str
    """One value."""

    several: str
    """Several values."""

    extreme: str
    """The one at an end of an order."""

    extremes: str
    """Several at an end of an order."""

    ranked: str
    """Members in an order."""

    article: str
    """The word before a noun that is known."""

    conjunction: str
    """The word before the last name of a list."""

    subject_starts: str
    """Pattern of subjects that need no article."""


@dataclass(frozen=True)
class OtherLanguages:
    """Words that tell that a question is in another language; accents are left out."""

    common: frozenset[str]
    """Frequent words of other languages."""

    shared: frozenset[str]
    """Words of this language that others have too."""

    question_words: Mapping[str, frozenset[str]]
    """Words with which questions and requests begin, by language."""


class LanguageWords:
    """The words of the language, by subject; each is read when first needed."""

    grammar: GrammarWords
    numbers: NumberWords
    times: TimeWords
    nouns: NounWords
    verbs: VerbWords
    columns: ColumnWords
    endings: Endings
    wordings: Wordings
    comparisons: ComparisonWords
    targets: TargetWords
    functions: FunctionWords
    function_cues: FunctionCues
    requests: RequestWords
    follow_ups: FollowUpWords
    sentences: SentenceWords
    other_languages: OtherLanguages

    def __getattr__(self, subject: str) -> object:
        # Only for what was not read before.
        if subject not in LanguageWords.__annotations__:
            raise AttributeError(subject)
        words: object = load_words(LanguageWords.__annotations__[subject], subject)
        setattr(self, subject, words)
        return words


WORDS = LanguageWords()
