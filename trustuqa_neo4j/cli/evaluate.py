"""``tuqa eval``: run a benchmark and print its scores and failures."""

from __future__ import annotations

import os
import random
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, format_list
from ..evidence import format_value
from ..option import MODEL, PROMPT
from ..render.terminal import escape_controls
from .connection import connect, connection_options
from .main import allow_imports
from .output import format_json, make_table, print_renderable, progress_bars
from .question_options import (
    SectionedCommand,
    question_options,
    read_question_options,
    table_option,
)
from .untaught_report import print_untaught

if TYPE_CHECKING:
    from ..answer import Value
    from ..client import TrustUQA
    from ..evaluation.benchmark import Benchmark, Case, CaseSet
    from ..evaluation.results_file import ResultLine
    from ..evaluation.runner import FailedCase, RunOptions
    from ..evaluation.summary import GroupScores, OutcomeCounts, Summary
    from ..evaluation.untaught import UntaughtFigures
    from ..model.dataset import Dataset
    from ..model.demonstration import Demonstration
    from ..questions.options import AskOptions


_SHOWN = 12

_COUNTS = ("n", "right", "wrong", "empty", "refused")


def print_summary(summary: Summary) -> None:
    counts = ("wrong", "empty", "refused")
    names = ("n", "right", *summary.metrics, *counts, "p50 ms", "p95 ms")
    table = make_table((summary.benchmark,), names)
    for row in summary.groups:
        scores = [f"{100 * row.scores.get(name, 0):.2f}" for name in summary.metrics]
        cells = (*scores, *_count_cells(row, counts), _format_ms(row.p50), _format_ms(row.p95))
        table.add_row(row.group, *_count_cells(row, ("n", "right")), *cells)
    print_renderable(table)
    for row in summary.groups[-1:]:
        _print_counts("refused", row.kinds)
    if summary.ends:
        _print_outcomes(summary.ends)
        _print_counts("problems of queries", summary.fired)
    if summary.functions:
        _print_functions(summary.functions)
    if summary.computed is not None:
        click.echo(f"\n{_describe_computed(summary.computed, summary.groups[-1].n)}")
    _print_counts("left out", summary.left_out)
    settings = ", ".join(f"{name} {value}" for name, value in summary.settings.items())
    click.echo(escape_controls(f"\n{settings}"))


def _describe_computed(computed: GroupScores, total: int) -> str:
    rate = f"{100 * computed.n / total:.1f} %" if total else "0 %"
    right = f"; right are {100 * computed.right / computed.n:.1f} % of them" if computed.n else ""
    return f"computed by the model: {computed.n:,} of {total:,} ({rate}){right}"


def print_failures(failures: Sequence[FailedCase]) -> None:
    for failure in failures:
        line = failure.line
        click.echo()
        click.secho(escape_controls(f"{line.id}  {line.question}"), bold=True)
        problems = (f"{problem.get('kind')}: {problem.get('message')}" for problem in line.problems)
        texts = [
            *([] if line.source is None else [f"  of {line.source}"]),
            *(f"  {step}" for step in line.query.splitlines()),
            *(f"    {stage}" for stage in failure.trace),
            *(f"    {problem}" for problem in problems),
            f"  label   {_format_values(line.labels)}",
            f"  answer  {_format_values(line.values) or line.outcome}",
        ]
        for text in texts:
            click.echo(escape_controls(text))


def _print_outcomes(rows: Sequence[OutcomeCounts]) -> None:
    click.echo()
    names = ("right %", "at once", "repaired", "partial", "wrong", "unknown", "error")
    table = make_table(("ended",), names)
    for row in rows:
        share = f"{100 * row.right / row.n:.2f}" if row.n else "–"
        fields = ("first", "repaired", "partial", "wrong", "unknown", "error")
        table.add_row(row.group, share, *_count_cells(row, fields))
    print_renderable(table)


def _print_functions(rows: Sequence[GroupScores]) -> None:
    click.echo()
    table = make_table(("not of the paper",), _COUNTS)
    for row in rows:
        if row.n > 1:
            table.add_row(escape_controls(row.group), *_count_cells(row, _COUNTS))
    used_once = [row for row in rows if row.n == 1]
    if used_once:
        sums = (sum(getattr(row, name) for row in used_once) for name in _COUNTS)
        table.add_row(f"{len(used_once)} used once", *(f"{count:,}" for count in sums))
    print_renderable(table)


def _count_cells(row: GroupScores | OutcomeCounts, fields: Sequence[str]) -> list[str]:
    return [f"{getattr(row, field):,}" for field in fields]


def _print_counts(title: str, counts: Mapping[str, int]) -> None:
    if counts:
        text = format_list([f"{name} {count:,}" for name, count in counts.items()], _SHOWN)
        click.echo(escape_controls(f"\n{title}: {text}"))


def _format_values(values: Sequence[Value]) -> str:
    return format_list(list(map(format_value, values)), _SHOWN)


def _format_ms(ms: float | None) -> str:
    return "–" if ms is None else f"{ms:.1f}"


BENCHMARKS = (
    "metaqa", "wtq", "webqsp", "yago11k", "cronquestions", "acme", "multitq", "wikisql", "own",
)  # fmt: skip
_PACK_QUERIES = ""


@click.command(cls=SectionedCommand)
@click.argument("benchmark", type=click.Choice(BENCHMARKS))
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "--replay",
    is_flag=False,
    flag_value=_PACK_QUERIES,
    help="Run recorded queries of the pack or of FILE instead of asking questions.",
    metavar="[FILE]",
)
@question_options(MODEL, PROMPT, but=("fallback", "retries", "repair", "keep", "private"))
@click.option(
    "--untaught",
    is_flag=True,
    help="Ask without model, demonstrations and brackets around names; measure the confidence.",
)
@click.option("--unmarked", is_flag=True, help="Remove the brackets that mark names in questions.")
@click.option(
    "--topics", is_flag=True, help="Name the topic entities of each question, as the data set does."
)
@click.option(
    "--tables", is_flag=True, help="Query the original tables instead of the graph (acme)."
)
@click.option(
    "--runs", type=click.IntRange(1, 100), default=1, show_default=True, metavar="N",
    help="How often to ask the model each question.",
)  # fmt: skip
@click.option("--packs", help="Folder of the data packs.  [env: TUQA_PACKS]", metavar="DIR")
@click.option("--dataset", help="Dataset to query.  [default: eval-BENCHMARK]", metavar="NAME")
@click.option(
    "--no-embeddings", is_flag=True, help="Do not embed names when the dataset is loaded."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Number of queries run in parallel.",
)
@click.option(
    "--out",
    help="Append a JSON line for each question to FILE.",
    metavar="FILE",
)
@click.option("--limit", type=click.IntRange(1), help="Run only N questions.", metavar="N")
@click.option(
    "--sample", type=int, help="Shuffle the questions with this seed first.", metavar="SEED"
)
@click.option(
    "--failures",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=10,
    help="Show N questions whose answer is not right.  [10]",
    metavar="[N]",
)
@table_option("timeout", help="Maximum time for one query, in seconds.")
@click.option("--quiet", is_flag=True, help="Show no progress bars.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@connection_options
def command(benchmark: str, path: Path | None, **options: Any) -> None:
    """Run a benchmark and score the answers.

    PATH is a folder with the files as released, or with a data pack; for own questions it is a file of JSON
    lines with question and answers. The first run loads the data of the benchmark as a dataset and stores
    the recorded training queries as demonstrations. If the --out file contains answers, the run continues
    after them. --limit and --sample select a random part.

    With --untaught the semantic parser alone answers. The three best readings of each question run, and
    further tables show precision by coverage, the reliability of the confidence, and the refusals.

    \b
    Example:
      tuqa eval wtq WikiTableQuestions --limit 500 --sample 1
      tuqa eval own questions.jsonl --dataset films
      tuqa eval metaqa --packs data --limit 500 --sample 1
      tuqa eval wtq --untaught --packs data --limit 400 --sample 1
      tuqa eval metaqa --replay --packs data --out metaqa.jsonl
      tuqa eval wtq --replay --limit 200 --sample 1 --failures
    """
    from ..evaluation.metaqa import remove_brackets
    from ..evaluation.registry import BENCHMARKS as ALL_BENCHMARKS
    from ..evaluation.registry import choose_layout
    from ..evaluation.runner import find_pack

    _check_untaught(options)
    declared = ALL_BENCHMARKS[benchmark]
    if path is not None:
        declared = choose_layout(declared, path)
    elif not declared.pack:
        raise UsageError("no file of questions", hint=f"tuqa eval {benchmark} FILE names one")
    benchmark_run = _select_variant(declared, options)
    pack = path or find_pack(benchmark_run, find_packs_folder(options["packs"]))
    demonstrations: tuple[Demonstration, ...] = ()
    recorded: CaseSet | None = None
    if options["replay"] is None:
        questions = benchmark_run.ask(pack)
        case_set, demonstrations = questions.prepared, questions.demonstrations
        recorded = questions.recorded
        if options["unmarked"]:
            case_set = replace(case_set, cases=tuple(map(remove_brackets, case_set.cases)))
    else:
        file = Path(options["replay"]) if options["replay"] != _PACK_QUERIES else None
        case_set = benchmark_run.prepare(pack, file)
    cases_to_run = _repeat_cases(_select_cases(case_set, options), options["runs"])
    case_set = replace(case_set, cases=tuple(_repeat_cases(case_set.cases, options["runs"])))
    job = _EvaluationJob(
        benchmark_run, pack, case_set, demonstrations, cases_to_run, options, recorded
    )
    with connect(options["uri"], options["username"], options["database"]) as tuqa:
        allow_imports()  # to embed names in queries
        job.run(tuqa)


@dataclass(frozen=True)
class _EvaluationJob:
    benchmark: Benchmark
    pack: Path
    case_set: CaseSet
    demonstrations: tuple[Demonstration, ...]
    cases: list[Case]
    options: dict[str, Any]
    recorded: CaseSet | None = None

    def run(self, tuqa: TrustUQA) -> None:
        from ..evaluation import runner

        released = "" if self.benchmark.pack else "-released"
        name = self.options["dataset"] or f"eval-{self.benchmark.name}{released}"
        run_options = self._run_options(name)
        results = self._read_results()
        with progress_bars(self.options["quiet"]) as progress:
            dataset = runner.load_dataset(
                tuqa,
                self.benchmark,
                self.pack,
                name,
                embeddings=not self.options["no_embeddings"],
                progress=progress,
            )
            if run_options.how is not None and not self.options["untaught"]:
                runner.store_demonstrations(tuqa, name, self.demonstrations, progress)
            cases = [case for case in self.cases if case.id not in results]
            recorded = [case for case in self.recorded_cases if case.id not in results]
            with self._open_writer(results) as write:
                runner.run_cases(tuqa, self.case_set, cases, run_options, write, progress)
                if self.recorded is not None:
                    replay = replace(run_options, how=None, readings=0)
                    runner.run_cases(tuqa, self.recorded, recorded, replay, write, progress)
        lines = [results[case.id] for case in self.cases]
        summary = self._summarize(tuqa, lines, dataset)
        figures = self._measure_untaught(lines, results) if self.options["untaught"] else None
        self._print(summary, figures, tuqa, lines, run_options)

    @cached_property
    def recorded_cases(self) -> list[Case]:
        return [] if self.recorded is None else _select_cases(self.recorded, self.options)

    def _run_options(self, dataset: str) -> RunOptions:
        from ..evaluation.runner import RunOptions
        from ..questions.with_semantic_parser import OFFERED

        readings = OFFERED if self.options["untaught"] else 0
        workers, timeout = self.options["workers"], self.options["timeout"]
        topics = self.options["topics"]
        return RunOptions(dataset, workers, timeout, self._ask_options(), readings, topics)

    def _ask_options(self) -> AskOptions | None:
        if self.options["replay"] is not None:
            return None
        if self.options["untaught"]:
            return {"llm": "demonstrations", "demonstrations": False, "evidence": 0}
        return {
            **read_question_options(self.options),
            "evidence": 0,
            "fallback": False,  # figures of a model are its own
            # With several runs, each run needs replies of its own, not those of the cache.
            "keep": self.options["runs"] == 1,
        }

    def _read_results(self) -> dict[str, ResultLine]:
        from ..evaluation.results_file import read_results

        if self.options["out"] is None:
            return {}
        cases = (*self.case_set.cases, *(() if self.recorded is None else self.recorded.cases))
        return read_results(
            Path(self.options["out"]), cases, self.case_set.score, untaught=self.options["untaught"]
        )

    @contextmanager
    def _open_writer(self, results: dict[str, ResultLine]) -> Iterator[Any]:
        from ..evaluation.results_file import open_results

        path = Path(self.options["out"]) if self.options["out"] else None
        with open_results(path) as file:

            def write(line: ResultLine) -> None:
                results[line.id] = line
                if file is not None:
                    file.write(line.to_json() + "\n")
                    file.flush()

            try:
                yield write
            except KeyboardInterrupt as error:
                raise KeyboardInterrupt(self._interrupted_message(results)) from error

    def _interrupted_message(self, results: dict[str, ResultLine]) -> str:
        if self.options["out"] is None:
            return "interrupted: no result is stored; with --out FILE a run can be continued"
        cases = [*self.cases, *self.recorded_cases]
        count = sum(case.id in results for case in cases)
        file = shlex.quote(self.options["out"])
        return (
            f"interrupted: {count:,} of {len(cases):,} answers are in {file}, "
            "run the same command again to continue"
        )

    def _summarize(self, tuqa: TrustUQA, lines: list[ResultLine], dataset: Dataset) -> Summary:
        from ..evaluation import summary
        from ..model.demonstration import USABLE_STATES

        settings = {name: self.options[name] for name in ("workers", "timeout", "limit", "sample")}
        if self.options["untaught"]:
            settings["untaught"] = "no model, no demonstrations, no brackets"
        elif self.options["replay"] is None:
            settings |= {name: self.options[name] for name in ("unmarked", "topics", "runs")}
            settings |= {name: v for name, v in read_question_options(self.options).items() if v}
            settings["llm"] = tuqa.asked_by(self.options["llm"], self.options["base_url"])
            settings["demonstrations"] = tuqa.demonstrations.counts(dataset.name).of(USABLE_STATES)
        else:
            settings = {"replay": self.options["replay"] or "the pack's", **settings}
        has_partial = "partial" in self.benchmark.metrics
        return summary.Summary(
            self.benchmark.name,
            self.benchmark.metrics,
            summary.scores_by_group(lines),
            summary.scores_by_function(lines, self.cases),
            dict(self.case_set.left_out),
            summary.describe_run(tuqa.ping(), dataset, **settings),
            summary.outcomes_by_group(lines) if has_partial else (),
            summary.count_problem_kinds(lines) if has_partial else {},
            summary.score_group(
                "computed by the model", [line for line in lines if not line.grounded]
            )
            if self.options["llm_function"]
            else None,
        )

    def _measure_untaught(
        self, lines: Sequence[ResultLine], results: Mapping[str, ResultLine]
    ) -> UntaughtFigures:
        from ..evaluation.untaught import measure_recorded, measure_untaught

        if self.recorded is None:
            return measure_untaught(lines)
        recorded = [results[case.id] for case in self.recorded_cases]
        return measure_untaught(lines, measure_recorded(recorded, self.recorded.left_out))

    def _print(
        self,
        summary: Summary,
        figures: UntaughtFigures | None,
        tuqa: TrustUQA,
        lines: list[ResultLine],
        run_options: RunOptions,
    ) -> None:
        from ..evaluation.runner import list_failures

        by_id = {case.id: case for case in self.cases}
        failures = list_failures(tuqa, lines, by_id, run_options, self.options["failures"] or 0)
        if self.options["as_json"]:
            extra: dict[str, Any] = {}
            if figures is not None:
                extra["untaught"] = asdict(figures)
            if failures:
                extra["failures"] = [failure.to_dict() for failure in failures]
            click.echo(format_json({**summary.to_dict(), **extra}, indent=2))
            return
        print_summary(summary)
        if figures is not None:
            print_untaught(figures)
        print_failures(failures)


_NOT_UNTAUGHT = {
    "replay": None, "llm": None, "votes": 1, "unmarked": False, "tables": False, "runs": 1,
    "llm_function": False,
    "structured": False,
}  # fmt: skip
"""Options that mean nothing with --untaught, and their defaults."""


def _check_untaught(options: Mapping[str, Any]) -> None:
    if not options["untaught"]:
        return
    for name, default in _NOT_UNTAUGHT.items():
        if options[name] != default:
            raise UsageError(
                f"--{name.replace('_', '-')} has no meaning with --untaught",
                hint="leave one of them out",
            )


def _select_variant(benchmark: Benchmark, options: Mapping[str, Any]) -> Benchmark:
    if options["untaught"]:
        if benchmark.untaught is None:
            raise UsageError(
                f"{benchmark.name} has no questions for --untaught", hint="leave --untaught out"
            )
        return benchmark.untaught
    if not options["tables"]:
        return benchmark
    if benchmark.tables is None:
        raise UsageError(f"{benchmark.name} has no tables of its own", hint="leave --tables out")
    return benchmark.tables


def _repeat_cases(cases: Sequence[Case], runs: int) -> list[Case]:
    # Each repetition has its own id.
    if runs == 1:
        return list(cases)
    return [replace(case, id=f"{case.id}#{run}") for run in range(1, runs + 1) for case in cases]


def find_packs_folder(option: str | None) -> Path:
    folder = option or os.environ.get("TUQA_PACKS")
    if not folder:
        raise UsageError(
            "the folder of the data packs is unknown", hint="give --packs DIR, or set TUQA_PACKS"
        )
    return Path(folder)


def _select_cases(case_set: CaseSet, options: dict[str, Any]) -> list[Case]:
    cases = list(case_set.cases)
    if options["sample"] is not None:
        random.Random(options["sample"]).shuffle(cases)  # noqa: S311 # no secret
    return cases[: options["limit"]]
