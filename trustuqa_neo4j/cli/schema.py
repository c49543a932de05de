"""``tuqa schema``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from ..errors import format_list, format_rest
from ..render.terminal import escape_controls, shorten_line
from ..values.value import format_day_range, format_number_range
from .connection import connect, connection_options
from .output import format_json, make_table, print_renderable

if TYPE_CHECKING:
    from ..model.dataset import Schema, SchemaClass, SchemaRelation, SchemaSource, Synonym

_SAMPLE_LENGTH = 30
_COMMENT_LENGTH = 60
_SAMPLES = 3
_CLASSES = 3
_FACTS_FROM = {"rows": "rows", "names": "names", "facts": "facts (a qualifier)"}


@click.command()
@click.argument("dataset")
@click.option("--source", help="Describe only this source.", metavar="NAME")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True,
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
@connection_options
def command(
    dataset: str, source: str | None, limit: int, as_json: bool, mermaid: bool,
    synonyms: tuple[str, ...], removed: tuple[str, ...],
    uri: str | None, username: str | None, database: str | None,
) -> None:  # fmt: skip
    """Show the classes, relations and columns of a dataset.

    For each relation: number of facts, domain and range, ranges of numbers, dates and times, samples. The
    command reads only the catalogue, so a large dataset takes no longer. --synonym teaches the dataset what
    other words of questions mean.

    \b
    Example:
      tuqa schema films
      tuqa schema films --mermaid > films.mmd
      tuqa schema films --synonym "runtime=length"
    """
    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid contradict each other; give one of them")
    meanings = dict(map(_parse_synonym, synonyms))
    with connect(uri, username, database) as tuqa:
        if removed:
            tuqa.remove_synonyms(dataset, removed)
        if meanings:
            tuqa.add_synonyms(dataset, meanings)
        schema = tuqa.schema(dataset, source)
    if as_json:
        click.echo(format_json(schema.to_dict(), indent=2))
    elif mermaid:
        from .mermaid import draw_classes, draw_relations

        click.echo((draw_classes if schema.classes else draw_relations)(schema, limit))
    else:
        _print_schema(schema, limit)


def _parse_synonym(text: str) -> tuple[str, str]:
    phrase, sign, name = (part.strip() for part in text.partition("="))
    if not (phrase and sign and name):
        raise click.BadParameter(
            f"{text!r} is not PHRASE=NAME, as in runtime=length", param_hint="'--synonym'"
        )
    return phrase, name


def _print_schema(schema: Schema, limit: int) -> None:
    sources = "1 source" if len(schema.sources) == 1 else f"{len(schema.sources):,} sources"
    name = schema.dataset if schema.source is None else f"{schema.dataset}, {schema.source}"
    click.echo(
        escape_controls(f"{name}: {schema.kind}, {sources}, {schema.facts:,} facts, ")
        + f"{len(schema.relations):,} relations"
        + (f", {len(schema.classes):,} classes" if schema.classes else "")
    )
    _print_classes(schema.classes, limit)
    _print_relations(schema.relations, limit)
    _print_sources(schema.sources, limit)
    _print_synonyms(schema.synonyms, limit)


def _print_classes(classes: Sequence[SchemaClass], limit: int) -> None:
    rows = [
        (
            schema_class.name,
            ", ".join(schema_class.kind_of),
            "" if schema_class.members is None else f"{schema_class.members:,}",
            shorten_line(schema_class.comment, _COMMENT_LENGTH),
        )
        for schema_class in classes[:limit]
    ]
    _print_table(("class", "kind of", "members", "comment"), rows, right=("members",))
    _print_omitted(len(classes), limit, "class")


def _print_relations(relations: Sequence[SchemaRelation], limit: int) -> None:
    rows = [_relation_cells(relation) for relation in relations[:limit]]
    names = ("relation", "facts", "from", "to", "range", "held", "qualifiers", "samples")
    _print_table(names, rows, right=("facts",))
    _print_omitted(len(relations), limit, "relation")


def _print_sources(sources: Sequence[SchemaSource], limit: int) -> None:
    rows = [
        (source.name, source.kind, f"{source.facts:,}", _format_columns(source.columns, limit))
        for source in sources[:limit]
    ]
    _print_table(("source", "kind", "facts", "columns"), rows, right=("facts",))
    _print_omitted(len(sources), limit, "source")


def _format_columns(columns: Sequence[str], limit: int) -> str:
    return format_list(columns, limit)


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


def _relation_cells(relation: SchemaRelation) -> tuple[str, ...]:
    origin = ", ".join(
        format_classes(relation.starts_from)
        if kind == "names" and relation.starts_from
        else _FACTS_FROM[kind]
        for kind in relation.leads_from
    )
    if len(relation.sources) > 1:
        origin += f" of {len(relation.sources):,} sources"
    samples = [shorten_line(sample, _SAMPLE_LENGTH) for sample in relation.samples[:_SAMPLES]]
    if not relation.facts:
        samples = [relation.comment]
    return (
        relation.name,
        f"{relation.facts:,}",
        origin,
        format_tails(relation),
        format_ranges(relation),
        _format_valid_time(relation),
        ", ".join(relation.qualifiers),
        " | ".join(samples),
    )


def format_tails(relation: SchemaRelation) -> str:
    # ``text``, ``number 97 %, text 3 %``, or the class if it is known.
    shares = relation.tails.shares
    if relation.leads_to and "rows" not in relation.leads_from:
        classes = format_classes(relation.leads_to)
        shares = {classes if kind == "text" else kind: share for kind, share in shares.items()}
    if len(shares) < 2:
        return "".join(shares)
    return ", ".join(f"{kind} {_format_percent(share)}" for kind, share in shares.items())


def format_classes(classes: Sequence[str]) -> str:
    return format_list(classes, _CLASSES, conjunction="or")


def _format_percent(share: float) -> str:
    if share < 0.005:
        return "<1 %"
    return ">99 %" if share > 0.995 else f"{100 * share:.0f} %"


def format_ranges(relation: SchemaRelation) -> str:
    texts = []
    years_only = relation.tails.years and not relation.tails.numbers
    if relation.lowest is not None and relation.highest is not None and not years_only:
        texts.append(format_number_range(relation.lowest, relation.highest))
    if relation.earliest is not None and relation.latest is not None:
        texts.append(format_day_range(relation.earliest, relation.latest))
    return "; ".join(texts)


def _format_valid_time(relation: SchemaRelation) -> str:
    if relation.first is None or relation.last is None:
        return ""
    share = "" if relation.held == relation.facts else f" ({relation.held:,})"
    return format_day_range(relation.first, relation.last) + share
