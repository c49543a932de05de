"""Features of a reading: how well it explains the question, and how its answer fits what is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from ..language.functions import SUMMARIES, TOTAL
from ..lexicon.words import WORDS
from .cell_links import WEAK_GRADES, WHOLE_GRADES, LinkGrade
from .column_links import ColumnLink, answers_question_word
from .comparison_phrases import DATE_EXTREMES
from .plans import (
    GroupedValues,
    walk_plan,
)
from .proposals import TableReading
from .question import PlainQuestion
from .reading import NUMBER_KINDS, has_number
from .row_plans import (
    AllRows,
    CellMatch,
    CellRange,
    ComparedRows,
    Complement,
    ExtremeRows,
    RankedRows,
)
from .snapshot import SnapshotColumn, TableSnapshot
from .table_links import TableLinks, asks_for_frequency


def _group_outputs(word: str) -> tuple[str, ...]:
    return tuple(f"output:group {function} {word}" for function in (*SUMMARIES, "count"))


_STRONG_CUES = {
    "count": ("output:count", "output:count values", "output:count difference", "output:group count"),
    TOTAL: ("output:sum", "output:count", "output:count values", "output:group sum",
            "output:group sum highest", "output:group sum lowest"),
    "not": ("not",),
    "same": ("select:same",),
    "next": ("select:next", "range:>", "range:>=", "select:of two next", "rows:>", "columns:>"),
    "previous": ("select:previous", "range:<", "range:<=", "select:of two previous", "rows:<",
                 "columns:<"),
    "highest": ("select:highest", "select:of two highest", "output:frequent", "output:frequent of two",
                "output:compare", "output:difference", "output:count difference", "range:>",
                "output:spread", *_group_outputs("highest"),
                "select:top highest", "select:ranked highest", "rows:>", "repeated:>", "columns:>",
                "columns:highest"),
    "lowest": ("select:lowest", "select:of two lowest", "output:rare", "range:<", "output:frequent of two",
               "output:compare", "output:difference", "output:spread", *_group_outputs("lowest"),
               "select:top lowest", "select:ranked lowest", "rows:<", "columns:<",
               "columns:lowest"),
    "or": ("either", "pair", "output:choice", "output:frequent of two"),
}  # fmt: skip
_ATTRIBUTE_WORDS = WORDS.grammar.attribute_words
_ROW_COUNT = "output:count"
_ROW_SELECTIONS = frozenset(("first", "last", *DATE_EXTREMES))
ROW_FREQUENCIES = frozenset(
    ("output:frequent", "output:rare", "output:frequent of two", "output:group count highest",
     "output:group count lowest")
)  # fmt: skip
_TRUTH_OUTPUTS = ("output:exists", "output:compare")


def extract_features(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> dict[str, float]:
    """Return name → value; names that are not there are 0."""
    features = dict(_dense_features(question, table, links, reading))
    operators = sorted(set(reading.operators))
    for operator in operators:
        features[f"op {operator}"] = 1.0
    features.update(_gram_features(question_grams(question, links), tuple(operators)))
    return features


@lru_cache(maxsize=64)
def _gram_features(grams: tuple[str, ...], operators: tuple[str, ...]) -> Mapping[str, float]:
    return {f"{gram} | {operator}": 1.0 for gram in grams for operator in operators}


def _dense_features(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> Iterator[tuple[str, float]]:
    content = question.content
    unexplained = content - reading.positions
    yield (
        "share of content words explained",
        len(content & reading.positions) / max(1, len(content)),
    )
    yield "content words unexplained", min(len(unexplained), 8) / 4
    yield "names unexplained", min(len(question.names - reading.positions), 4)
    if not unexplained:
        yield "all content words explained", 1.0
    linked = {p for link in links.cells if link.grade in WHOLE_GRADES for p in link.positions}
    yield "exact links unused", min(len(linked & content - reading.positions), 5) / 2
    strong = sum(link.strength for link in reading.links)
    yield "strength of links", min(strong, 4.0)
    yield "weak links", float(sum(link.grade in WEAK_GRADES for link in reading.links))
    yield from _output_features(question, table, links, reading)
    yield from _answer_features(question, table, reading)
    yield from _cue_features(question, reading)
    yield from _row_count_features(question, links, reading)
    yield from _selection_features(question, table, links, reading)


def _output_features(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> Iterator[tuple[str, float]]:
    output = reading.output
    if output is None:
        return
    column = table.columns[output]
    score = links.column_score(output)
    groups = [node for node in reading.nodes if isinstance(node, GroupedValues)]
    yield from (
        ("grouped column named", links.column_score(node.column))
        for node in groups
        if node.function != "count"
    )
    if any(node.keys[0].part for node in groups):
        score = 1.0  # *month* names what a date is grouped by
    link = links.columns.get(output)
    yield "output column named", score
    if score == 0:
        yield "output column not named", 1.0
    if link and link.positions & question.head:
        yield "output column is head noun", score
    elif question.head and any(named.positions & question.head for named in links.columns.values()):
        yield "head noun is another column", 1.0
    if output == table.name_column:
        yield "output names the rows", 1.0
        if score == 0:
            yield "output names the rows, not named", 1.0
    yield from _condition_features(reading, output)
    yield from _question_word_features(question, table, column)
    yield from _noun_features(question, table, reading, link)


def _noun_features(
    question: PlainQuestion, table: TableSnapshot, reading: TableReading, named: ColumnLink | None
) -> Iterator[tuple[str, float]]:
    """*which moons were observed*: the noun is a cell of another column, the verb names no answer."""
    noun = question.row_noun
    if any(link.positions & noun for link in reading.links):
        yield f"noun is a cell, rows are named: {reading.output == table.name_column}", 1.0
    if named and noun and named.positions <= question.participles:
        yield "output column named by a verb", 1.0


def _question_word_features(
    question: PlainQuestion, table: TableSnapshot, column: SnapshotColumn
) -> Iterator[tuple[str, float]]:
    if question.kind == "who" or "whose" in question.words:
        yield f"who: persons or firms {column.has_agents}", 1.0
    kind = (
        question.kind
        if question.kind in WORDS.grammar.question_words or " " in question.kind
        else "verb"
    )
    yield f"asks {kind} of {'identifier' if column.is_identifier else column.kind}", 1.0
    if answers_question_word(question, table, column):
        yield "output column fits the question word", 1.0


def _condition_features(reading: TableReading, output: int) -> Iterator[tuple[str, float]]:
    """An answer that repeats a condition says nothing."""
    if any(entry.startswith("text:") for entry in reading.operators):
        return  # *names that start with A*
    if output in reading.columns and "output:choice" not in reading.operators:
        yield "output column is a condition", 1.0
    if (
        any(link.column == output for link in reading.links)
        and "output:choice" not in reading.operators
    ):
        yield "output column is matched", 1.0
    if output in reading.columns and any(entry.startswith("range:") for entry in reading.operators):
        yield "output column is a range", 1.0


def _answer_features(
    question: PlainQuestion, table: TableSnapshot, reading: TableReading
) -> Iterator[tuple[str, float]]:
    members = reading.members
    if len(members) > 1 and not question.asks_several:
        yield "several answers to who" if question.is_open else "several answers to one", 1.0
    if len(members) > 5:
        yield "very many answers", 1.0
    is_number = all(isinstance(member, float) or has_number(member) for member in members)
    if question.kind in NUMBER_KINDS:
        yield f"{question.kind}: number" if is_number else f"{question.kind}: no number", 1.0
    if question.kind in WORDS.grammar.auxiliaries:
        is_truth = bool(set(_TRUTH_OUTPUTS) & set(reading.operators))
        yield "truth asked" if is_truth else "truth asked, other answer", 1.0
    if members in ((0.0,), (float(table.size),)) and "output:count" in reading.operators:
        yield "counts none or all", 1.0


def _cue_features(question: PlainQuestion, reading: TableReading) -> Iterator[tuple[str, float]]:
    operators = set(reading.operators)
    for cue, uses in _STRONG_CUES.items():
        if question.has_cue(cue):
            used = any(operator in operators for operator in uses)
            explained = all(
                c.positions <= reading.positions for c in question.cues if c.operator == cue
            )
            if not used:
                yield f"cue {cue} unused", 0.5 if explained else 1.0


def _row_count_features(
    question: PlainQuestion, links: TableLinks, reading: TableReading
) -> Iterator[tuple[str, float]]:
    """*how many orders* counts rows, *the most orders* the rows of each member."""
    operators = set(reading.operators)
    if (
        question.kind == "how many"
        and question.asked_noun
        and links.row_nouns >= question.asked_noun
    ):
        yield f"rows are asked for: {_ROW_COUNT in operators}", 1.0
    if asks_for_frequency(question, links):
        yield f"an extreme of rows: {bool(ROW_FREQUENCIES & operators)}", 1.0


def _selection_features(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> Iterator[tuple[str, float]]:
    nodes = reading.nodes
    yield "size of the plan", len(nodes) / 3
    yield "counts one named row", float(_counts_one_row(table, reading))
    yield "one word for column and operation", float(_repeats_operation(question, links, reading))
    yield "all rows", float(any(isinstance(node, AllRows) for node in nodes))
    yield from _comparison_features(question, table, links, reading)
    yield "negates a later name", float(_negates_later_name(question, reading))
    for node in nodes:
        if isinstance(node, ExtremeRows | RankedRows):
            score = links.column_score(node.column)
            yield "extreme column named", score
            if score == 0:
                yield "extreme column not named", 1.0
            yield f"extreme of {table.columns[node.column].kind}", 1.0
    for link in reading.links:
        score = links.column_score(link.column)
        named = links.columns.get(link.column)
        near = named is not None and any(
            abs(position - edge) <= 2
            for position in named.positions - link.positions
            for edge in (link.first, link.last - 1)
        )
        if near:
            yield f"match column named nearby {link.column == reading.output}", score
    ranges = [
        column
        for column in reading.columns
        if column not in {link.column for link in reading.links}
    ]
    is_text = any(operator.startswith("text:") for operator in reading.operators)
    if is_text and reading.output in ranges:
        is_attribute = _is_attribute(question, links.columns.get(ranges[0]))
        yield "text of the output's attribute" if is_attribute else "text of the output", 1.0
    if ranges and any(operator.startswith("range:") for operator in reading.operators):
        yield "range column named", max(links.column_score(column) for column in ranges)


def _comparison_features(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks, reading: TableReading
) -> Iterator[tuple[str, float]]:
    """Rows compared with a named row, and whether columns are those that an adjective measures."""
    for node in reading.nodes:
        if isinstance(node, ComparedRows):
            score = links.column_score(node.column)
            yield "compared column named", score
            if score == 0:
                yield "compared column not named", 1.0
        if isinstance(node, ComparedRows) and isinstance(node.other, CellMatch):
            is_named = table.columns[node.other.column].is_unique
            yield "compared row named by its own name", float(is_named)
            if reading.output == node.other.column:
                yield "output column is that of the compared row", 1.0
        if isinstance(node, ComparedRows | ExtremeRows | RankedRows):
            fits = _fits_adjective(question, table, node, reading.positions)
            if fits is not None:
                yield f"column {'fits' if fits else 'does not fit'} the adjective", 1.0


def _fits_adjective(
    question: PlainQuestion,
    table: TableSnapshot,
    node: ComparedRows | ExtremeRows | RankedRows,
    positions: frozenset[int],
) -> bool | None:
    """True for the age or the birthday that *oldest* measures; None if no column of the table fits."""
    extremes: tuple[str, ...] = ()
    if isinstance(node, ComparedRows):
        extremes = ("highest", "latest") if node.operator == ">" else ("lowest", "earliest")
    else:
        extremes = (node.word,)
    fitting: set[int] = set()
    for position in positions:
        dimension = question.lexicon.dimensions.get(question.words[position])
        if dimension is None or not dimension.extremes:
            continue
        for extreme, words in dimension.extremes.items():
            columns = {
                c.position for c in table.columns if c.is_ordered and words & c.measured_words
            }
            fitting |= columns if extreme in extremes else {-1 for _ in columns}
    return node.column in fitting if fitting else None


def _negates_later_name(question: PlainQuestion, reading: TableReading) -> bool:
    """True if *not let by Ann and with a balcony* would negate the balcony."""
    starts = [cue.last for cue in question.cues if cue.operator == "not"]
    excluded = [n.excluded for n in reading.nodes if isinstance(n, Complement)]
    after = [link for link in reading.links if starts and link.first >= starts[0]]
    if not excluded or not after:
        return False
    nearest = min(after, key=lambda link: link.first)
    return nearest.rows not in [node for rows in excluded for node in walk_plan(rows)]


def _is_attribute(question: PlainQuestion, link: ColumnLink | None) -> bool:
    """*items whose title contains …*, *with love in the title*: a column that is not asked for."""
    words = question.words
    before = (words[max(0, position - 2) : position] for position in link.positions) if link else ()
    return any(_ATTRIBUTE_WORDS & {*pair} for pair in before)


def _counts_one_row(table: TableSnapshot, reading: TableReading) -> bool:
    """True if the rows that are counted have one name, and no two rows have one."""
    column = table.name_column
    is_named = any(
        link.column == column and link.grade == LinkGrade.EXACT for link in reading.links
    )
    return is_named and table.columns[column].is_unique and _ROW_COUNT in reading.operators


def _repeats_operation(question: PlainQuestion, links: TableLinks, reading: TableReading) -> bool:
    """True if one word would be both an operation and a part of the name of a column.

    Such as *total* in *the total of gold* with a column ``Total``, and *last* in *whose last order was in
    May* with a column ``Last order``.
    """
    named = None if reading.output is None else links.columns.get(reading.output)
    used = {operator.removeprefix("output:") for operator in reading.operators}.intersection(
        SUMMARIES
    )
    if named is not None and any(
        named.positions <= question.cue_positions(function) for function in used
    ):
        return True
    selecting = {
        operator.removeprefix("select:") for operator in reading.operators
    } & _ROW_SELECTIONS
    cues = [cue.positions for cue in question.cues if cue.operator in selecting]
    nodes = [n for n in reading.nodes if isinstance(n, CellMatch | CellRange)]
    bounded = [
        links.columns[node.column].positions for node in nodes if node.column in links.columns
    ]
    return any(cue < positions for cue in cues for positions in bounded)


def question_grams(question: PlainQuestion, links: TableLinks) -> tuple[str, ...]:
    """The words and pairs of words of the question, with ``@`` for names and ``#`` for numbers."""
    masked = list(question.words)
    for link in links.cells:
        if link.grade == LinkGrade.EXACT:
            for position in link.positions & question.content:
                masked[position] = "@"
    for number in question.numbers:
        for position in number.positions:
            if not number.is_ordinal:
                masked[position] = "#"
    for named in links.columns.values():
        for position in named.positions:
            if masked[position] not in question.lexicon.operators and position in question.content:
                masked[position] = "$" if masked[position] not in ("@", "#") else masked[position]
    return _grams(tuple(masked))


@lru_cache(maxsize=64)
def _grams(words: tuple[str, ...]) -> tuple[str, ...]:
    padded = ("^", *words, "$$")
    single = [
        word
        for word in words
        if word not in WORDS.grammar.function_words or word in WORDS.grammar.question_words
    ]
    pairs = [f"{first} {second}" for first, second in pairwise(padded)]
    return tuple(dict.fromkeys((*single, *pairs)))
