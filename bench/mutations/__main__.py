"""Mutation testing of the validation: ``python -m bench.mutations --packs DIR``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trustuqa_neo4j.cli.connection import connect, connection_options
from trustuqa_neo4j.cli.evaluate import find_packs_folder
from trustuqa_neo4j.cli.main import ErrorHandlingCommand
from trustuqa_neo4j.cli.output import format_json, make_table, print_renderable, progress_bars
from trustuqa_neo4j.errors import UsageError
from trustuqa_neo4j.render.terminal import escape_controls

if TYPE_CHECKING:
    from bench.mutations.corpora import Corpus
    from bench.mutations.data_profile import DataProfile
    from bench.mutations.report import MutationReport
    from trustuqa_neo4j.client import TrustUQA
    from trustuqa_neo4j.loading.request import Progress


@click.command(
    "mutations",
    cls=ErrorHandlingCommand,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--packs", help="Folder of the data packs.  [env: TUQA_PACKS]", metavar="DIR")
@click.option("--dataset", help="Dataset that --programs query.", metavar="NAME")
@click.option(
    "--programs", help="File of correct queries, as JSON lines with query.", metavar="FILE"
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Number of threads."
)
@click.option("--limit", type=click.IntRange(1), help="Run only N mutants.", metavar="N")
@click.option("--sample", type=int, help="Seed of the random choices.", metavar="SEED")
@click.option(
    "--failures",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=10,
    metavar="[N]",
    help="Show N mutants that the check missed.  [10]",
)
@click.option("--quiet", is_flag=True, help="Show no progress bars.")
@click.option("--json", "as_json", is_flag=True, help="Print the statistics as JSON.")
@connection_options
def main(**options: Any) -> None:
    """Measure how many wrong queries the validation finds.

    Correct queries of ACME and MetaQA, or of a file, are changed by one fault at a time. Without --programs,
    the data is loaded from the packs.

    \b
    Example:
      python -m bench.mutations --packs data --json
    """
    from bench.mutations.measure import MeasurementOptions, measure_corpus
    from bench.mutations.report import make_report

    server = (options["uri"], options["username"], options["database"])
    reports = []
    with connect(*server) as tuqa, progress_bars(options["quiet"]) as progress:
        measurement_options = MeasurementOptions(
            options["sample"] or 0, options["limit"], options["workers"], progress
        )
        for corpus_context in _list_corpora(tuqa, options, progress):
            with corpus_context as (corpus, profile):
                measurement = measure_corpus(tuqa, corpus, profile, measurement_options)
                reports.append(make_report(measurement, options["failures"] or 0))
    if options["as_json"]:
        click.echo(format_json([report.to_dict() for report in reports], indent=2))
        return
    for report in reports:
        _print_report(report)


def _list_corpora(
    tuqa: TrustUQA, options: dict[str, Any], progress: Progress
) -> list[AbstractContextManager[tuple[Corpus, DataProfile]]]:
    from bench.mutations import corpora

    dataset, programs = options["dataset"], options["programs"]
    if (dataset is None) != (programs is None):
        raise UsageError(
            "--dataset and --programs go together: correct queries, and the data that they query",
            hint="give both, or neither",
        )
    if programs is not None:
        return [corpora.open_file(tuqa, dataset, Path(programs), progress)]
    packs = find_packs_folder(options["packs"])
    return [
        corpora.open_acme(tuqa, packs, progress),
        corpora.open_metaqa(tuqa, packs, options["sample"] or 0, progress),
    ]


def _print_report(report: MutationReport) -> None:
    """Print mutants by operator, correct queries by kind, and examples of missed mutants."""
    counts = ("warned", "passed", "missed")
    headers = ["n", "dropped", "baseline"]
    for check in report.checks:
        headers += [check, *counts]
    table = make_table((report.ground,), headers)
    for row in (*report.rows, report.total(structural=True), report.total()):
        cells = [f"{row.n:,}", f"{row.dropped:,}", _format_percent(row.share())]
        for check in report.checks:
            numbers = (getattr(row.by_check[check], name) for name in counts)
            cells += [_format_percent(row.share(check)), *(f"{number:,}" for number in numbers)]
        table.add_row(row.operator, *cells)
    means = ["", "", _format_percent(report.macro())]
    for check in report.checks:
        means += [_format_percent(report.macro(check)), "", "", ""]
    table.add_row("mean of the operators", *means)
    print_renderable(table)
    click.echo()
    _print_correct_queries(report)
    for example in report.examples:
        click.echo(escape_controls(f"\nmissed, {example['operator']}, of {example['origin']}"))
        for line in example["query"].splitlines():
            click.echo(escape_controls(f"  {line}"))
    click.echo()


def _print_correct_queries(report: MutationReport) -> None:
    headers = ["n"]
    for check in report.checks:
        headers += [f"{check}: refused", "doubted", "warned"]
    table = make_table(("right queries",), headers)
    for row in report.right:
        numbers = (number for check in report.checks for number in row.by_check[check])
        table.add_row(row.kind, f"{row.n:,}", *(f"{number:,}" for number in numbers))
    print_renderable(table)
    if report.left_out:
        counts = ", ".join(f"{reason} {count:,}" for reason, count in report.left_out.items())
        click.echo(escape_controls(f"\nleft out: {counts}"))


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f}"


if __name__ == "__main__":
    main()
