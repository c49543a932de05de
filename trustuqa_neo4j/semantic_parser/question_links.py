"""Selects links of the parsers for a model to read: the longest and surest names, a few for each span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..lexicon.word_spans import collect_positions
from .cell_links import CellLink, LinkGrade
from .column_links import ColumnLink
from .comparison_phrases import EXTREME_WORDS
from .graph_links import GraphLinks, NameLink
from .graph_view import Hop, Neighbourhood
from .question import PlainQuestion
from .reading import QuestionLink
from .row_plans import CellMatch
from .snapshot import TableSnapshot
from .table_links import TableLinks

MAX_CELL_LINKS = 12
MAX_COLUMNS_OF_SPAN = 4
MAX_NAMES = 3  # of a column for a span
MAX_NAME_LINKS = 8
MAX_RELATIONS = 5  # of a name, in each direction
MIN_COLUMN_SCORE = 0.5


def select_table_links(
    question: PlainQuestion, table: TableSnapshot, links: TableLinks
) -> tuple[QuestionLink, ...]:
    cells = _select_cells(links.cells)
    in_cells = collect_positions(link for link in cells if link.grade == LinkGrade.EXACT)
    # *longest* has more meanings than the column whose name is related to it.
    extremes = question.cue_positions(*EXTREME_WORDS)
    columns = (
        link
        for link in sorted(links.columns.values(), key=lambda link: -link.score)
        if link.score >= MIN_COLUMN_SCORE
        and not link.positions <= in_cells
        and (link.score == 1 or not link.positions <= extremes)
    )
    return (
        *(_describe_cell(question, table, link) for link in cells),
        *(_describe_column(question, table, link) for link in columns),
    )


def _select_cells(links: tuple[CellLink, ...]) -> list[CellLink]:
    """Select cells, the surest first; none inside a longer name, and few for each span."""
    selected: list[CellLink] = []
    columns: Counter[tuple[int, int]] = Counter()
    for link in links:
        span = (link.first, link.last)
        is_inside = any(
            link.positions < longer.positions
            or (
                link.positions == longer.positions and longer.grade == LinkGrade.EXACT != link.grade
            )
            for longer in selected
        )
        if not is_inside and columns[span] < MAX_COLUMNS_OF_SPAN:
            columns[span] += 1
            selected.append(link)
    whole = [link for link in selected if not any(_is_part(link, longer) for longer in selected)]
    return sorted(whole[:MAX_CELL_LINKS], key=lambda link: (link.first, -link.last))


def _is_part(link: CellLink, longer: CellLink) -> bool:
    """True if ``longer`` names the same cells by more words."""
    return (
        link.positions < longer.positions
        and link.column == longer.column
        and isinstance(link.rows, CellMatch)
        and isinstance(longer.rows, CellMatch)
        and {*longer.rows.texts} <= {*link.rows.texts}
    )


def _describe_cell(question: PlainQuestion, table: TableSnapshot, link: CellLink) -> QuestionLink:
    column = table.columns[link.column]
    if isinstance(link.rows, CellMatch):
        names = link.rows.as_written(table)
    else:
        rows = link.rows.evaluate(table)
        names = [cell.text for row in rows if (cell := column.cells[row]) is not None]
    shown = tuple(dict.fromkeys(names))[:MAX_NAMES]
    return QuestionLink(_write_span(question, link), shown, column.name, table.source)


def _write_span(question: PlainQuestion, link: CellLink | NameLink) -> str:
    return " ".join(question.written[link.first : link.last])


def _describe_column(
    question: PlainQuestion, table: TableSnapshot, link: ColumnLink
) -> QuestionLink:
    words = " ".join(question.written[position] for position in sorted(link.positions))
    return QuestionLink(words, column=table.columns[link.column].name, source=table.source)


def select_graph_links(links: GraphLinks, hood: Neighbourhood) -> tuple[QuestionLink, ...]:
    """Select names, the surest first, with the relations that fit the question best."""
    shown = links.names[:MAX_NAME_LINKS]
    return tuple(_describe_name(links, hood, link) for link in shown)


def _describe_name(links: GraphLinks, hood: Neighbourhood, link: NameLink) -> QuestionLink:
    hops = sorted(hood.hops(link.nodes), key=lambda hop: (-links.strength(hop, link), hop.relation))
    return QuestionLink(
        _write_span(links.question, link),
        (link.name,),
        relations_from=tuple(_list_relations(hops, forward=True)),
        relations_to=tuple(_list_relations(hops, forward=False)),
        nodes=link.nodes,
    )


def _list_relations(hops: list[Hop], *, forward: bool) -> Iterator[str]:
    relations = [hop.relation for hop in hops if hop.forward is forward]
    yield from relations[:MAX_RELATIONS]
