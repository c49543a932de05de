"""``tuqa schema``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from ..errors import format_count, format_rest
from ..model.dataset import (
    CLASS_COLUMNS,
    RELATION_COLUMNS,
    SOURCE_COLUMNS,
    class_cells,
    describe_schema,
    relation_cells,
    source_cells,
)
from ..render.terminal import escape_controls
from .connection import Neo4jOptions, connect, connection_options
from .output import format_json, make_table, print_renderable

if TYPE_CHECKING:
    from ..model.dataset import Schema, SchemaClass, SchemaRelation, SchemaSource, Synonym

MAX_ROWS = 15
MAX_COLUMNS = 5
"""The schema of a wide table fits on a screen of 24 lines."""


@click.command()
@click.argument("dataset")
@click.option("--source", help="Describe only this source.", metavar="NAME")
@click.option(
    "--limit", type=click.IntRange(1), show_default=f"{MAX_ROWS}, and {MAX_COLUMNS} columns",
    help="Maximum number of classes, relations, sources and columns of a source.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the complete schema as JSON.")
@click.option("--mermaid", is_flag=True, help="Print a Mermaid diagram.")
@click.option(
    "--synonym", "synonyms", multiple=True, metavar="PHRASE=NAME",
    help="Store what a phrase of questions means: a relation, a column or a name; repeatable.",
)  # fmt: skip
@click.option(
    "--remove-synonym", "removed", multiple=True, metavar="PHRASE",
    help="Delete a synonym; repeatable.",
)  # fmt: skip
@click.option(
    "--note", "notes", multiple=True, metavar="TEXT",
    help="Store a sentence about the data, which models are sent with the schema; repeatable.",
)  # fmt: skip
@click.option(
    "--remove-note", "removed_notes", multiple=True, metavar="N", type=click.IntRange(1),
    help="Delete note number N; repeatable.",
)  # fmt: skip
@connection_options
def command(
    dataset: str, source: str | None, limit: int | None, as_json: bool, mermaid: bool,
    synonyms: tuple[str, ...], removed: tuple[str, ...],
    notes: tuple[str, ...], removed_notes: tuple[int, ...],
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """Show the classes, relations and columns of a dataset.

    For each relation: number of facts, domain and range, ranges of numbers, dates and times, samples. The
    command reads only the catalogue, so a large dataset takes no longer. --synonym teaches the dataset what
    other words of questions mean, --note what a model cannot see in the data.

    \b
    Example:
      tuqa schema films
      tuqa schema films --mermaid > films.mmd
      tuqa schema films --synonym "runtime=length"
      tuqa schema sales --note "The fiscal year starts in July."
    """
    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid contradict each other; give one of them")
    meanings = dict(map(_parse_synonym, synonyms))
    with connect(neo4j) as tuqa:
        if removed:
            tuqa.remove_synonyms(dataset, removed)
        if meanings:
            tuqa.add_synonyms(dataset, meanings)
        if removed_notes:
            tuqa.remove_notes(dataset, _select_notes(tuqa.schema(dataset), removed_notes))
        if notes:
            tuqa.add_notes(dataset, notes)
        schema = tuqa.schema(dataset, source)
    if as_json:
        click.echo(format_json(schema.to_dict(), indent=2))
    elif mermaid:
        from .mermaid import draw_classes, draw_relations

        draw = draw_classes if schema.classes else draw_relations
        click.echo(draw(schema, limit or MAX_ROWS))
    else:
        _print_schema(schema, limit or MAX_ROWS, limit or MAX_COLUMNS)


def _parse_synonym(text: str) -> tuple[str, str]:
    phrase, sign, name = (part.strip() for part in text.partition("="))
    if not (phrase and sign and name):
        raise click.BadParameter(
            f"{text!r} is not PHRASE=NAME, as in runtime=length", param_hint="'--synonym'"
        )
    return phrase, name


def _select_notes(schema: Schema, numbers: Sequence[int]) -> list[str]:
    count = len(schema.notes)
    for number in numbers:
        if number > count:
            raise click.BadParameter(
                f"there is no note {number}; {schema.dataset!r} has {format_count(count, 'note')}",
                param_hint="'--remove-note'",
            )
    return [schema.notes[number - 1] for number in numbers]


def _print_schema(schema: Schema, limit: int, max_columns: int) -> None:
    click.echo(escape_controls(describe_schema(schema)))
    _print_classes(schema.classes, limit)
    _print_relations(schema.relations, limit)
    _print_sources(schema.sources, limit, max_columns)
    _print_synonyms(schema.synonyms, limit)
    _print_table(("note", "text"), [(str(n), note) for n, note in enumerate(schema.notes, 1)])


def _print_classes(classes: Sequence[SchemaClass], limit: int) -> None:
    rows = [*map(class_cells, classes[:limit])]
    _print_table(CLASS_COLUMNS, rows, right=("members",))
    _print_omitted(len(classes), limit, "class")


def _print_relations(relations: Sequence[SchemaRelation], limit: int) -> None:
    rows = [*map(relation_cells, relations[:limit])]
    _print_table(RELATION_COLUMNS, rows, right=("facts",))
    _print_omitted(len(relations), limit, "relation")


def _print_sources(sources: Sequence[SchemaSource], limit: int, max_columns: int) -> None:
    rows = [source_cells(source, max_columns) for source in sources[:limit]]
    _print_table(SOURCE_COLUMNS, rows, right=("facts",))
    _print_omitted(len(sources), limit, "source")


def _print_synonyms(synonyms: Sequence[Synonym], limit: int) -> None:
    rows = [(synonym.phrase, synonym.name) for synonym in synonyms[:limit]]
    _print_table(("synonym", "means"), rows)
    _print_omitted(len(synonyms), limit, "synonym")


def _print_omitted(total: int, limit: int, noun: str) -> None:
    if rest := format_rest(total, limit, noun, "--limit N shows more, --json all"):
        click.echo(rest)


def _print_table(
    names: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()
) -> None:
    # Empty columns are left out.
    if not rows:
        return
    filled = [index for index in range(len(names)) if any(row[index] for row in rows)]
    table = make_table()
    for index in filled:
        justify: Literal["left", "right"] = "right" if names[index] in right else "left"
        table.add_column(names[index], justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(escape_controls(row[index]) for index in filled))
    click.echo()
    print_renderable(table)
