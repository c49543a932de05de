"""``tuqa demonstrations``; ``tuqa-load --demonstrations`` stores demonstrations by the same functions."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ..errors import DataError, LimitReached, UnreadableFile, format_count, format_rest
from ..model.demonstration import format_group, name_group, split_group
from ..option import LIMITS, MODEL, PROMPT
from ..render.terminal import escape_controls
from . import output
from .connection import Neo4jOptions, connect, connection_options, resolve_server
from .main import allow_imports
from .output import progress_bars, write_file
from .question_options import (
    SectionedCommand,
    parallel_queries,
    question_options,
    read_question_options,
    table_option,
)

if TYPE_CHECKING:
    from ..answer import Answer
    from ..client import TrustUQA
    from ..curation.acceptance import ConfirmedQuestion
    from ..curation.api import Teaching
    from ..curation.jsonl import Recorded
    from ..curation.query_writing import WritingPlan, WrittenQueries
    from ..model.demonstration import Demonstration, DemonstrationState


CountsByDataset = dict[str, dict[str, int]]  # by name of dataset or group


def print_demonstrations(demonstrations: Sequence[Demonstration]) -> None:
    # The columns ``source`` and ``why`` appear only if they have a value.
    has_source = any(demonstration.source is not None for demonstration in demonstrations)
    has_reason = any(demonstration.why for demonstration in demonstrations)
    columns = ["state", "question", *["source"] * has_source, "why" if has_reason else "answers"]
    table = output.make_table(columns)
    for demonstration in demonstrations:
        cells = [demonstration.state, demonstration.question]
        if has_source:
            cells.append(demonstration.source or "")
        cells.append(demonstration.why if has_reason else " | ".join(demonstration.answers or ()))
        table.add_row(*map(escape_controls, cells))
    output.print_renderable(table)


def _to_json(demonstration: Demonstration) -> dict[str, Any]:
    answers = demonstration.answers
    return {
        "question": demonstration.question,
        "query": demonstration.query,
        "state": demonstration.state,
        "why": demonstration.why,
        "answers": None if answers is None else list(answers),
        "source": demonstration.source,
        "fields": dict(demonstration.fields),
    }


def read_demonstrations(
    file: BinaryIO, dataset: str | Sequence[str] | None, *, queries: bool = True
) -> Recorded:
    # The whole file is checked before anything is written.
    from ..curation import jsonl

    name = getattr(file, "name", "-")
    name = "standard input" if name in ("-", "<stdin>") else str(name)
    try:
        content = file.read()
    except OSError as error:
        hint = "give a file of JSON lines"
        raise UnreadableFile(error.strerror or str(error), where=name, hint=hint) from error
    recorded = jsonl.read(content, name, dataset, queries=queries)
    if not recorded.total:
        hint = f"each line is an object with question and {'query' if queries else 'answers'}"
        raise UnreadableFile("there is no demonstration in it", where=name, hint=hint)
    return recorded


def store_demonstrations(
    api: Teaching,
    recorded: Recorded,
    *,
    quiet: bool,
    replace: bool = False,
    no_verify: bool = False,
    **verify_options: Any,
) -> CountsByDataset:
    counts = {}
    with progress_bars(quiet) as progress:
        for group, demonstrations in recorded.by_dataset.items():
            datasets = split_group(group)
            written = api.store(datasets, demonstrations, overwrite=replace, progress=progress)
            counts[group] = asdict(written)
            if not no_verify:
                allow_imports()
                verified = api.verify(datasets, progress=progress, **verify_options)
                counts[group] |= asdict(verified)
    return counts


def format_counts(group: str, counts: dict[str, int]) -> str:
    labels = {
        "new": "new",
        "changed": "changed",
        "same": "there already",
        "kept": "kept as they were",
        "verified": "verified",
        "runs": "run (unlabelled)",
        "failed": "failed",
        "embedded": "patterns embedded",
    }
    texts = [f"{counts[name]:,} {label}" for name, label in labels.items() if counts.get(name)]
    return f"{format_group(group)}: {', '.join(texts) or 'nothing to run'}"


def _print_counts(counts: CountsByDataset, recorded: Recorded | None, as_json: bool) -> None:
    if as_json:
        skipped = {} if recorded is None else {"repeated": recorded.repeated, **recorded.passed}
        labelled = {format_group(group): group_counts for group, group_counts in counts.items()}
        click.echo(output.format_json({"datasets": labelled, "passed over": skipped}, indent=2))
        return
    for group, group_counts in counts.items():
        click.echo(format_counts(group, group_counts))
    if recorded is not None:
        print_skipped_lines(recorded)
    for group, group_counts in counts.items():
        if group_counts.get("failed"):
            options = " ".join(f"--dataset {quote(name)}" for name in split_group(group))
            click.echo(
                f"why they failed: tuqa demonstrations list {options} --state failed", err=True
            )
        if kept := group_counts.get("kept"):
            hint = "usable ones have another query or other answers; --replace takes the new ones"
            click.echo(f"note: {kept:,} {hint}", err=True)


def print_skipped_lines(recorded: Recorded) -> None:
    if recorded.repeated:
        click.echo(
            f"note: {recorded.repeated:,} lines repeat a question, the first counts", err=True
        )
    for reason, times in recorded.passed.items():
        click.echo(f"note: {times:,} lines skipped: {reason}", err=True)


STATES: tuple[DemonstrationState, ...] = ("candidate", "verified", "runs", "failed")
DEFAULT_LIMIT = 50


def _format_datasets(datasets: Sequence[str]) -> str:
    return format_group(name_group(datasets))


_dataset = click.option(
    "--dataset", "datasets", required=True, multiple=True, metavar="NAME",
    help="Dataset of the demonstrations; repeat it for all that a query needs together.",
)  # fmt: skip
_verify = click.option("--no-verify", is_flag=True, help="Do not run the queries.")
_replace = click.option(
    "--replace", is_flag=True, help="Replace demonstrations that are verified or run too."
)
_states = click.option(
    "--state",
    "states",
    type=click.Choice(STATES),
    multiple=True,
    help="Only demonstrations in this state; repeatable.",
)
_timeout = table_option("timeout", help="Maximum time for one query, in seconds.")
_quiet = click.option("--quiet", is_flag=True, help="Show no progress bars.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("demonstrations")
def command() -> None:
    """Manage example questions with their queries.

    New questions are answered with the query of a similar example (a demonstration). A demonstration is used
    when its query has been run and returned an answer: the expected answer ("verified"), or any answer if
    none is given ("runs").

    \b
    Example:
      tuqa demonstrations import recorded.jsonl --dataset films
      tuqa demonstrations list --dataset films --state failed
    """


@command.command()
@click.argument("question")
@click.argument("query")
@_dataset
@click.option("--source", help="Source of the dataset that the question is about.", metavar="NAME")
@click.option("--answer", "answers", multiple=True, help="Expected answer; repeatable.")
@click.option(
    "--field", "fields", multiple=True, help="Additional field; repeatable.", metavar="NAME=VALUE"
)
@_verify
@_replace
@connection_options
def add(question: str, query: str, datasets: tuple[str, ...], **options: Any) -> None:
    """Add one question with its query.

    QUERY is the text of the query, or "-" for standard input. With --answer, the query must return exactly
    these answers. With several --dataset, the query runs over all of them, and the demonstration is for
    questions that may read all of them.

    \b
    Example:
      tuqa demonstrations add "who directed Alien" "get_information(head_entity='Alien',
      relation='directed_by')" --dataset films --answer "Ridley Scott"
    """
    from ..model.demonstration import Demonstration

    text = sys.stdin.buffer.read().decode("utf-8", "replace") if query == "-" else query
    answers = options["answers"] or None
    fields = _parse_fields(options["fields"])
    demonstration = Demonstration(question, text, answers, options["source"], fields)
    with connect(options["neo4j"]) as tuqa:
        allow_imports()
        verify = not options["no_verify"]
        added = tuqa.demonstrations.add(
            datasets, demonstration, overwrite=options["replace"], verify=verify
        )
    reason = " (unlabelled: --answer sets the expected answer)" if added.state == "runs" else ""
    click.echo(f"{_format_datasets(datasets)}: {added.state}{reason}")
    if added.state == "failed":
        click.echo(f"the query failed: {added.why}", err=True)
        sys.exit(1)


@command.command()
@click.argument("question", nargs=-1)
@click.option(
    "--dataset", "datasets", multiple=True, metavar="NAME",
    help="Dataset to query; repeatable.  [default: selected by the question]",
)  # fmt: skip
@click.option("--source", help="Query only this source of the dataset.", metavar="NAME")
@click.option("--llm", help="What wrote the query, as for `tuqa ask`.", metavar="MODEL")
@click.option(
    "--pick", type=click.IntRange(1), help="Accept this one of the readings.", metavar="N"
)
@click.option("--replace", "overwrite", is_flag=True, help="Replace another query of the question.")
@_timeout
@connection_options
def accept(question: tuple[str, ...], datasets: tuple[str, ...], **options: Any) -> None:
    """Store an answered question as a demonstration: its answer is right.

    Without QUESTION, it is the last one that `tuqa ask` answered on this machine. With QUESTION, it is asked
    again, and --pick selects one of its readings. A model is not called, but its cached reply is used. The
    query runs again, and its answer is the expected answer of the demonstration.

    \b
    Example:
      tuqa ask "who directed Alien" --dataset films
      tuqa demonstrations accept
      tuqa demonstrations accept "who made Alien" --dataset films --pick 2
    """
    from ..client import TrustUQA
    from ..curation.acceptance import read_last_question

    text = " ".join(question)
    selection = {
        "dataset": datasets or None,
        **{name: options[name] for name in ("source", "llm", "pick")},
    }
    if not text and any(value is not None for value in selection.values()):
        raise click.UsageError("--dataset, --source, --llm and --pick need a QUESTION")
    settings = resolve_server(options["neo4j"])
    last = None if text else read_last_question(settings.home)
    with TrustUQA.connect(settings) as tuqa:
        allow_imports()
        if last is not None:
            answer = _run_again(tuqa, last, options["timeout"])
        else:
            answer = _ask_without_calls(tuqa, text, options["timeout"], selection)
        click.echo(f"question: {escape_controls(answer.question or '')}")
        output.print_answer(answer)
        accepted = tuqa.demonstrations.accept(answer, overwrite=options["overwrite"])
    state = accepted.demonstration.state if accepted.is_new else "there already"
    click.echo(f"{_format_datasets(accepted.datasets)}: {state}")


def _ask_without_calls(
    tuqa: TrustUQA, question: str, timeout: float, selection: dict[str, Any]
) -> Answer:
    # A model without a cached reply reaches the limit at once.
    try:
        return tuqa.ask(question, **selection, max_calls=0, fallback=False, timeout=timeout)
    except LimitReached as error:
        raise DataError(
            "the model has no cached reply to the question",
            where=f"question {question!r}",
            hint="ask it (`tuqa ask`), or accept an answer without the model (--llm demonstrations)",
        ) from error


def _run_again(tuqa: TrustUQA, last: ConfirmedQuestion, timeout: float) -> Answer:
    answer = tuqa.run(last.query, last.datasets, source=last.source, timeout=timeout)
    return replace(
        answer,
        question=last.question,
        llm_query=last.query,
        datasets=last.datasets,
        source=last.source,
    )


@command.command("import")
@click.argument("file", type=click.File("rb"))
@click.option(
    "--dataset", "datasets", multiple=True, metavar="NAME",
    help="Dataset of the demonstrations; repeat it for all that they need together.  "
    "[default: field of the line]",
)  # fmt: skip
@_verify
@_replace
@parallel_queries
@_timeout
@_quiet
@_json
@connection_options
def import_(file: BinaryIO, datasets: tuple[str, ...], **options: Any) -> None:
    """Read demonstrations from JSON lines, plain or packed with gzip.

    A line has the fields question and query (or llm_output), and may have answers, source and dataset (a
    list if the query needs several).
    Demonstrations that are already stored do not change. "-" reads standard input.

    \b
    Example:
      tuqa demonstrations import recorded.jsonl.gz --dataset films
    """
    recorded = read_demonstrations(file, datasets)
    with connect(options["neo4j"]) as tuqa:
        counts = store_demonstrations(
            tuqa.demonstrations,
            recorded,
            **{
                name: options[name]
                for name in ("quiet", "replace", "no_verify", "workers", "timeout")
            },
        )
    _print_counts(counts, recorded, options["as_json"])


@command.command()
@click.argument("file", metavar="FILE")
@_dataset
@_states
@connection_options
def export(
    file: str, datasets: tuple[str, ...], states: tuple[DemonstrationState, ...],
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """Write demonstrations as JSON lines that ``import`` reads again.

    FILE must not exist. If its name ends in .gz, it is compressed. "-" writes to standard output.

    \b
    Example:
      tuqa demonstrations export films.jsonl --dataset films
    """
    from ..curation.jsonl import lines

    if file != "-" and Path(file).exists():
        hint = "name one that is not there yet"
        raise DataError("the file is there, and nothing is ever overwritten", where=file, hint=hint)
    with connect(neo4j) as tuqa:
        demonstrations = tuqa.demonstrations.listed(datasets, states or STATES)
    content = "".join(lines(demonstrations, datasets))
    if file == "-":
        click.echo(content, nl=False)
        return
    packed = gzip.compress(content.encode(), mtime=0) if file.endswith(".gz") else content.encode()
    write_file(Path(file), packed)
    count = format_count(len(demonstrations), "demonstration")
    click.echo(f"{_format_datasets(datasets)}: {count} to {file}")


@command.command(cls=SectionedCommand)
@click.argument("file", type=click.File("rb"))
@_dataset
@question_options(
    MODEL, LIMITS, PROMPT,
    but=("fallback", "votes", "repair", "timeout", "min_confidence", "min_similarity"),
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Ask only N questions.", metavar="N")
@click.option("--again", is_flag=True, help="Ask the questions whose query failed before, too.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=4, show_default=True,
    help="Number of questions asked in parallel.",
)  # fmt: skip
@_timeout
@click.option("--yes", is_flag=True, help="Do not ask for confirmation of the estimated cost.")
@_quiet
@_json
@connection_options
def write(file: BinaryIO, datasets: tuple[str, ...], **options: Any) -> None:
    """Let a model write the queries of questions with known answers.

    A line of FILE has the fields question and answers, and may have source; "-" reads standard input. Each
    query is run: those with the right answer are used as demonstrations, the others are stored as failed and
    not asked again. The answers are not sent to the model. The estimated cost needs a confirmation.
    --max-calls and --max-tokens hold for all questions together.

    \b
    Example:
      tuqa demonstrations write questions.jsonl --dataset films --llm openai:gpt-4o-mini --limit 100
    """
    recorded = read_demonstrations(file, datasets, queries=False)
    print_skipped_lines(recorded)
    (questions,) = recorded.by_dataset.values()
    ask_options = read_question_options(options)
    with connect(options["neo4j"]) as tuqa:
        allow_imports()
        selection = {"number": options["limit"], "again": options["again"]}
        plan = tuqa.plan_demonstrations(datasets, questions, **selection, **ask_options)
        click.echo(_format_plan(datasets, plan), err=True)
        if plan.questions and not options["yes"]:
            _confirm(file)
        with progress_bars(options["quiet"]) as progress:
            written = tuqa.write_demonstrations(
                datasets, questions, **selection, workers=options["workers"], progress=progress,
                **ask_options,
            )  # fmt: skip
    if options["as_json"]:
        click.echo(output.format_json(asdict(written), indent=2))
    else:
        _print_written(datasets, written)
    if written.left:
        sys.exit(1)


def _confirm(file: BinaryIO) -> None:
    # Standard input may be the file itself.
    if getattr(file, "name", "-") in ("-", "<stdin>") or not sys.stdin.isatty():
        raise click.UsageError("nobody can confirm the cost here; --yes accepts it")
    click.confirm("ask the model?", abort=True, err=True)


def _format_plan(datasets: Sequence[str], plan: WritingPlan) -> str:
    cost = "" if plan.cost is None else f", about {plan.cost:.2f} by TUQA_LLM_PRICES"
    passed = [
        f"{count:,} {label}"
        for count, label in (
            (plan.known - plan.unlabelled, "there already"),
            (
                plan.unlabelled,
                "there already without an expected answer (`tuqa demonstrations import --replace` sets it)",
            ),
            (plan.failed, "failed before (--again)"),
        )
        if count
    ]
    return (
        f"{_format_datasets(datasets)}: {format_count(len(plan.questions), 'question')} to ask, "
        f"{format_count(plan.calls, 'call')} without repairs, about {plan.tokens:,} tokens{cost}"
        f"{''.join(f'; {text}' for text in passed)}"
    )


def _print_written(datasets: Sequence[str], written: WrittenQueries) -> None:
    usage = written.usage
    counts = {"verified": written.verified, "failed": written.failed}
    click.echo(format_counts(name_group(datasets), counts))
    cost = "" if usage.cost is None else f", cost {usage.cost:.4f}"
    click.echo(
        f"the model took {format_count(usage.calls, 'call')} and {usage.tokens:,} tokens "
        f"({usage.cached:,} from the cache){cost}",
        err=True,
    )
    if written.unwritten:
        click.echo(f"note: {format_count(written.unwritten, 'question')} got no query", err=True)
    if written.stopped:
        left = format_count(written.left, "question")
        click.echo(f"note: {left} not asked: {written.stopped}", err=True)


@command.command("list")
@_dataset
@_states
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="Maximum number of demonstrations to show.",
)
@_json
@connection_options
def list_(
    datasets: tuple[str, ...], states: tuple[DemonstrationState, ...], limit: int, as_json: bool,
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """List the demonstrations of a dataset, with the reason if a query failed.

    \b
    Example:
      tuqa demonstrations list --dataset films
      tuqa demonstrations list --dataset films --state failed --limit 500
    """
    with connect(neo4j) as tuqa:
        counts = tuqa.demonstrations.counts(datasets)
        shared = tuqa.demonstrations.shared(datasets[0]) if len(datasets) == 1 else {}
        demonstrations = tuqa.demonstrations.listed(datasets, states or STATES)
    if as_json:
        records = [_to_json(demonstration) for demonstration in demonstrations]
        click.echo(output.format_json(records, indent=2))
        return
    for group, group_counts in shared.items():
        count = format_count(group_counts.total, "demonstration")
        click.echo(
            f"note: {count} of {_format_datasets(group)} together: "
            f"list {' '.join(f'--dataset {quote(name)}' for name in group)}",
            err=True,
        )
    if not demonstrations:
        hint = "; add some with `tuqa demonstrations import` or `add`"
        result = "there are none" if not states else f"none is {' or '.join(states)}"
        click.echo(
            f"{_format_datasets(datasets)}: {result}{'' if counts.of(STATES) else hint}", err=True
        )
        return
    print_demonstrations(demonstrations[:limit])
    hint = "--limit N shows more, --json all"
    if rest := format_rest(len(demonstrations), limit, "demonstration", hint):
        click.echo(rest)
    click.echo(
        f"{_format_datasets(datasets)}: {counts.verified:,} verified and {counts.runs:,} run (unlabelled) "
        f"in {format_count(counts.patterns, 'pattern')}, "
        f"{counts.candidate:,} not run yet, {counts.failed:,} failed"
    )


@command.command()
@_dataset
@_states
@click.option("--source", help="Only demonstrations of this source.", metavar="NAME")
@click.option("--question", help="Only the demonstration of this question.", metavar="TEXT")
@connection_options
def drop(
    datasets: tuple[str, ...], states: tuple[DemonstrationState, ...], source: str | None,
    question: str | None,
    neo4j: Neo4jOptions,
) -> None:  # fmt: skip
    """Delete demonstrations of a dataset; its data stay.

    \b
    Example:
      tuqa demonstrations drop --dataset films --state failed
      tuqa demonstrations drop --dataset films --question "who directed Alien"
    """
    with connect(neo4j) as tuqa:
        dropped = tuqa.demonstrations.drop(
            datasets, states or STATES, source=source, question=question
        )
    click.echo(f"{_format_datasets(datasets)}: {format_count(dropped, 'demonstration')} deleted")
    if question is not None and not dropped:
        sys.exit(1)


@command.command()
@_dataset
@click.option("--again", is_flag=True, help="Run all queries, not only new ones.")
@parallel_queries
@_timeout
@_quiet
@_json
@connection_options
def verify(datasets: tuple[str, ...], again: bool, **options: Any) -> None:
    """Run the queries of new demonstrations.

    If the command is interrupted, the results so far are stored and the next run continues.

    \b
    Example:
      tuqa demonstrations verify --dataset films
      tuqa demonstrations verify --dataset films --again
    """
    with connect(options["neo4j"]) as tuqa:
        allow_imports()
        with progress_bars(options["quiet"]) as progress:
            verified = tuqa.demonstrations.verify(
                datasets, again=again, workers=options["workers"], timeout=options["timeout"],
                progress=progress,
            )  # fmt: skip
    _print_counts({name_group(datasets): asdict(verified)}, None, options["as_json"])


def _parse_fields(texts: Sequence[str]) -> dict[str, str]:
    fields = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise click.UsageError(f"--field {text!r} is not of the form NAME=VALUE")
        fields[name] = value
    return fields
