"""``tuqa schema``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import click

from ..showing.plain import plain
from ..values.telling import tell_days, tell_numbers
from .connecting import connect, connecting
from .drawing import draw, json_of

if TYPE_CHECKING:
    from ..dataset import Schema, SchemaClass, SchemaRelation, SchemaSource

T = TypeVar("T")

_LONGEST_SAMPLE = 30
_LONGEST_COMMENT = 60
_SAMPLES = 3
_CLASSES = 3
_FACTS_FROM = {"rows": "rows", "names": "names", "facts": "facts (a qualifier)"}


@click.command()
@click.argument("dataset")
@click.option("--source", help="Describe this source only.", metavar="NAME")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True,
    help="Relations, and sources, to show at most.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--mermaid", is_flag=True, help="Print a picture as Mermaid text.")
@connecting
def command(
    dataset: str, source: str | None, limit: int, as_json: bool, mermaid: bool,
    uri: str | None, username: str | None, database: str | None,
) -> None:  # fmt: skip
    """Show what a dataset is made of: classes, relations, columns.

    Per relation: how many facts, what they lead from and to, ranges of numbers, dates and times, samples.
    It is read from the catalogue, so it takes no longer for a large dataset.

    \b
    Example:
      tuqa schema films
      tuqa schema films --mermaid > films.mmd
    """
    if as_json and mermaid:
        raise click.UsageError("--json and --mermaid contradict each other; give one of them")
    with connect(uri, username, database) as tuqa:
        found = tuqa.schema(dataset, source)
    if as_json:
        click.echo(json_of(found.to_dict(), indent=2))
    elif mermaid:
        from . import mermaid_classes
        from .mermaid import picture

        click.echo((mermaid_classes.picture if found.classes else picture)(found, limit))
    else:
        _tell(found, limit)


def _tell(found: Schema, limit: int) -> None:
    sources = "1 source" if len(found.sources) == 1 else f"{len(found.sources):,} sources"
    name = found.dataset if found.source is None else f"{found.dataset}, {found.source}"
    click.echo(
        plain(f"{name}: {found.kind}, {sources}, {found.facts:,} facts, ")
        + f"{len(found.relations):,} relations"
        + (f", {len(found.classes):,} classes" if found.classes else "")
    )
    _classes(found.classes, limit)
    _relations(found.relations, limit)
    _sources(found.sources, limit)


def _classes(classes: Sequence[SchemaClass], limit: int) -> None:
    cells = [
        (
            each.name, ", ".join(each.kind_of), "" if each.members is None else f"{each.members:,}",
            _cut(each.comment, _LONGEST_COMMENT),
        )
        for each in classes[:limit]
    ]  # fmt: skip
    _table(("class", "kind of", "members", "comment"), cells, right=("members",))
    _left_out(classes, limit, "classes")


def _relations(relations: Sequence[SchemaRelation], limit: int) -> None:
    cells = [_cells(relation) for relation in relations[:limit]]
    names = ("relation", "facts", "from", "to", "range", "held", "qualifiers", "samples")
    _table(names, cells, right=("facts",))
    _left_out(relations, limit, "relations")


def _sources(sources: Sequence[SchemaSource], limit: int) -> None:
    cells = [
        (each.name, each.kind, f"{each.facts:,}", ", ".join(each.columns))
        for each in sources[:limit]
    ]
    _table(("source", "kind", "facts", "columns"), cells, right=("facts",))
    _left_out(sources, limit, "sources")


def _left_out(everything: Sequence[T], limit: int, what: str) -> None:
    if len(everything) > limit:
        more = len(everything) - limit
        click.echo(f"… {more:,} more {what} (--limit N shows more, --json all)")


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Draw what there is; columns that are empty throughout are left out."""
    from rich.table import Table

    if not rows:
        return
    filled = [n for n in range(len(names)) if any(row[n] for row in rows)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for n in filled:
        table.add_column(
            names[n], justify="right" if names[n] in right else "left", overflow="fold"
        )
    for row in rows:
        table.add_row(*(plain(row[n]) for n in filled))
    click.echo()
    draw(table)


def _cells(relation: SchemaRelation) -> tuple[str, ...]:
    origin = ", ".join(
        any_of(relation.starts_from)
        if each == "names" and relation.starts_from
        else _FACTS_FROM[each]
        for each in relation.leads_from
    )
    if len(relation.sources) > 1:
        origin += f" of {len(relation.sources):,} sources"
    return (
        relation.name, f"{relation.facts:,}", origin, tails(relation), ranges(relation),
        _held(relation), ", ".join(relation.qualifiers), _samples(relation),
    )  # fmt: skip


def tails(relation: SchemaRelation) -> str:
    """What a relation leads to: ``text``, or ``number 97 %, text 3 %``; the class where that is known."""
    shares = relation.tails.shares
    if relation.leads_to and "rows" not in relation.leads_from:
        named = any_of(relation.leads_to)
        shares = {named if kind == "text" else kind: share for kind, share in shares.items()}
    if len(shares) < 2:
        return "".join(shares)
    return ", ".join(f"{kind} {_percent(share)}" for kind, share in shares.items())


def any_of(classes: Sequence[str]) -> str:
    """Some of the classes, and how many more there are."""
    more = len(classes) - _CLASSES
    named = " or ".join(classes[:_CLASSES])
    return f"{named} or {more:,} more" if more > 0 else named


def _percent(share: float) -> str:
    return (
        "<1 %" if share < 0.005 else ">99 %" if share > 0.995 else f"{share:.0%}".replace("%", " %")
    )


def ranges(relation: SchemaRelation) -> str:
    """The numbers and days that a relation leads to, from lowest to highest."""
    found = []
    years_only = relation.tails.years and not relation.tails.numbers
    if relation.lowest is not None and relation.highest is not None and not years_only:
        found.append(tell_numbers(relation.lowest, relation.highest))
    if relation.earliest is not None and relation.latest is not None:
        found.append(tell_days(relation.earliest, relation.latest))
    return "; ".join(found)


def _held(relation: SchemaRelation) -> str:
    if relation.first is None or relation.last is None:
        return ""
    share = "" if relation.held == relation.facts else f" ({relation.held:,})"
    return tell_days(relation.first, relation.last) + share


def _samples(relation: SchemaRelation) -> str:
    return " | ".join(_cut(each, _LONGEST_SAMPLE) for each in relation.samples[:_SAMPLES])


def _cut(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
