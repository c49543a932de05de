"""``tuqa eval``: run a benchmark and print its scores and failures."""

from __future__ import annotations

import os
import random
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import MissingFile, UsageError, format_list
from ..option import LIMITS, MODEL, PROMPT, QUESTION
from ..questions.options import OPTIONS
from ..render.terminal import escape_controls
from .connection import connect, connection_options
from .main import allow_imports
from .output import format_json, make_table, print_renderable, progress_bars, write_file
from .question_options import (
    SectionedCommand,
    parallel_queries,
    question_options,
    read_question_options,
    table_option,
)

if TYPE_CHECKING:
    from ..ablation import SystemPart
    from ..client import TrustUQA
    from ..evaluation.benchmark import Benchmark, Case, CaseSet
    from ..evaluation.report import Part
    from ..evaluation.results_file import ResultLine
    from ..evaluation.runner import FailedCase, RunOptions
    from ..evaluation.summary import Summary
    from ..evaluation.untaught import UntaughtFigures
    from ..evaluation.variants import Variant
    from ..evaluation.zero_shot import QueryRepair, ZeroShot
    from ..model.dataset import Dataset
    from ..model.demonstration import Demonstration
    from ..questions.options import AskOptions


def print_report(parts: Iterable[Part]) -> None:
    for number, part in enumerate(parts):
        if number:
            click.echo()
        if isinstance(part, str):
            click.echo(escape_controls(part))
        else:
            table = make_table(part.columns[: part.texts], part.columns[part.texts :])
            for row in part.rows:
                table.add_row(*map(escape_controls, row))
            print_renderable(table)


def print_failures(failures: Sequence[FailedCase]) -> None:
    from ..evaluation.report import format_values

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
            f"  label   {format_values(line.labels)}",
            f"  answer  {format_values(line.values) or line.outcome}",
        ]
        for text in texts:
            click.echo(escape_controls(text))


BENCHMARKS = (
    "metaqa", "wtq", "webqsp", "yago11k", "cronquestions", "acme", "multitq", "wikisql", "own",
    "mixed", "cross",
)  # fmt: skip
_PACK_QUERIES = ""
OWN_LANGUAGE = "ours"
ABLATED = ("dynamic", "static", "mapping", "retry", "voting", "check")
OWN_OPTIONS = ("source", "entities", "pick", "fallback", "timeout")
"""Options of a question that each case has of its own, or that this command declares in another way."""


@click.command(cls=SectionedCommand)
@click.argument("benchmark", required=False, type=click.Choice(BENCHMARKS))
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "--replay",
    is_flag=False,
    flag_value=_PACK_QUERIES,
    help="Run recorded queries of the pack or of FILE instead of asking questions.",
    metavar="[FILE]",
)
@question_options(QUESTION, MODEL, LIMITS, PROMPT, but=OWN_OPTIONS)
@table_option("fallback", default="off", help="If the model fails, answer without it.")
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
    "--query-language",
    type=click.Choice([OWN_LANGUAGE, "sql", "sparql"]),
    default=OWN_LANGUAGE,
    show_default=True,
    help="Language of the queries; sql and sparql are zero-shot baselines, without the engine (acme).",
)
@click.option(
    "--repair",
    "query_repair",
    type=click.Choice(["none", "blind", "check"]),
    help="What a wrong query of a baseline leads to: nothing, the same prompt again, or the problems that "
    "the check against the ontology finds, sent back (sparql).  [default: none]",
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
@parallel_queries
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
@click.option(
    "--details",
    is_flag=True,
    help="Show times of stages, numbers of answers, classes of errors, and right runs by question.",
)
@click.option(
    "--estimate", is_flag=True, help="Print what the run would take of the model, and ask nothing."
)
@click.option(
    "--ablate",
    multiple=True,
    type=click.Choice(ABLATED),
    help="Ask again without this part of the system, and compare; repeatable.",
)
@click.option(
    "--sweep",
    help="Ask with each of these values of an option, and compare: examples=0,4,8.",
    metavar="OPTION=V,V",
)
@click.option(
    "--compare",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="RUN RUN",
    help="Compare two --out files question by question.",
)
@click.option("--json", "form", flag_value="json", help="Print the summary as JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print the summary as Markdown.")
@click.option("--csv", "form", flag_value="csv", help="Print the scores of groups as CSV.")
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the summary with plots to FILE, a page that needs no other file.",
)
@connection_options
def command(benchmark: str | None, path: Path | None, **options: Any) -> None:
    """Run a benchmark and score the answers.

    PATH is a folder with the files as released, or with a data pack; for own questions it is a file of JSON
    lines with question and answers. The first run loads the data of the benchmark as a dataset and stores
    the recorded training queries as demonstrations. If the --out file contains answers, the run continues
    after them. --limit and --sample select a random part.

    --ablate and --sweep run the benchmark once for each setting, and show them side by side, each compared
    with the first. dynamic leaves out the demonstrations of similar questions, static the worked examples,
    mapping the nearest names, retry the repair of queries, voting all votes but one, and check the
    validation.

    With --query-language the model writes SQL or SPARQL from the schema and the question alone, as the
    baselines of the paper on ACME; --retries limits how often --repair asks again.

    With --untaught the semantic parser alone answers. The three best readings of each question run, and
    further tables show precision by coverage, the reliability of the confidence, and the refusals.

    \b
    Example:
      tuqa eval wtq WikiTableQuestions --limit 500 --sample 1
      tuqa eval own questions.jsonl --dataset films
      tuqa eval metaqa --packs data --limit 500 --sample 1
      tuqa eval wtq --untaught --packs data --limit 400 --sample 1
      tuqa eval metaqa --replay --packs data --out metaqa.jsonl
      tuqa eval wtq --limit 200 --llm openai:NAME --ablate retry --ablate check
      tuqa eval wtq --limit 200 --llm openai:NAME --sweep examples=0,4,8
      tuqa eval acme --llm openai:NAME --query-language sparql --repair check
      tuqa eval --compare metaqa.jsonl other.jsonl
      tuqa eval wtq --replay --limit 200 --sample 1 --failures
    """
    from ..evaluation.registry import BENCHMARKS as ALL_BENCHMARKS
    from ..evaluation.registry import choose_layout
    from ..evaluation.runner import find_pack

    if options["compare"]:
        _compare(options["compare"], benchmark, options)
        return
    if benchmark is None:
        raise click.UsageError("Missing argument 'BENCHMARK'.")
    if options["html"] is not None and not options["html"].parent.is_dir():
        where = str(options["html"].parent)
        raise MissingFile("no such folder", where=where, hint="make it first")
    _check_untaught(options)
    _check_baseline(options)
    variants = _list_variants(options)
    declared = ALL_BENCHMARKS[benchmark]
    if path is not None:
        declared = choose_layout(declared, path)
    elif not declared.pack:
        raise UsageError("no file of questions", hint=f"tuqa eval {benchmark} FILE names one")
    benchmark_run = _select_variant(declared, options)
    pack = path or find_pack(benchmark_run, find_packs_folder(options["packs"]))
    case_set, demonstrations, recorded = _read_cases(benchmark_run, pack, options)
    cases_to_run = _repeat_cases(_select_cases(case_set, options), options["runs"])
    case_set = replace(case_set, cases=tuple(_repeat_cases(case_set.cases, options["runs"])))
    job = _EvaluationJob(
        benchmark_run, pack, case_set, demonstrations, cases_to_run, options, recorded
    )
    with connect(options["neo4j"]) as tuqa:
        allow_imports()  # to embed names in queries
        if options["query_language"] != OWN_LANGUAGE:
            with job.open_baseline(tuqa) as baseline:
                baseline.run(tuqa)
        elif variants:
            job.run_variants(tuqa, variants)
        else:
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
    left_out: frozenset[SystemPart] = frozenset()
    zero_shot: ZeroShot | None = None

    @property
    def dataset(self) -> str:
        released = "" if self.benchmark.pack else "-released"
        # That of a baseline has no vectors: other runs must not take it for theirs.
        baseline = "" if self.options["query_language"] == OWN_LANGUAGE else "-baseline"
        return self.options["dataset"] or f"eval-{self.benchmark.name}{released}{baseline}"

    @contextmanager
    def open_baseline(self, tuqa: TrustUQA) -> Iterator[_EvaluationJob]:
        # The engine and the model are open while the job runs.
        from ..evaluation.query_engines import open_sparql, open_sql
        from ..evaluation.releases import list_data
        from ..evaluation.zero_shot import ZeroShot
        from ..graph.ontology_store import read_schema_knowledge
        from ..llm.client import Models
        from ..llm.parameters import PARAMETERS, ModelParameters

        options, benchmark = self.options, self.benchmark
        read_knowledge = partial(read_schema_knowledge, dataset=self.dataset)
        engine = (
            open_sql(*list_data(self.pack, (benchmark.tables or benchmark).data))
            if options["query_language"] == "sql"
            else open_sparql(
                *list_data(self.pack, benchmark.data),
                read_knowledge=cache(partial(tuqa.connection.read, read_knowledge)),
            )
        )
        models = Models(options["neo4j"].read_settings())
        repair: QueryRepair = options["query_repair"] or "none"
        with closing(models), engine as opened:
            model = models.model(
                options["llm"], options["keep"] and options["runs"] == 1, options["base_url"]
            )
            if model is None and options["replay"] is None:
                raise UsageError(
                    "there is no model to write queries",
                    hint="name one with --llm, or run recorded queries with --replay",
                )
            parameters = ModelParameters(**{name: options[name] for name in PARAMETERS})
            zero_shot = ZeroShot(opened, repair, model, options["retries"], parameters)
            yield replace(self, zero_shot=zero_shot)

    def run(self, tuqa: TrustUQA) -> None:
        run = self._ask_all(tuqa)
        if run is None:
            return
        results, dataset, run_options = run
        lines = [results[case.id] for case in self.cases]
        summary = self._summarize(tuqa, lines, dataset)
        figures = self._measure_untaught(lines, results) if self.options["untaught"] else None
        self._print(summary, figures, tuqa, lines, run_options)

    def run_variants(self, tuqa: TrustUQA, variants: Sequence[Variant]) -> None:
        """Ask with each setting, and print them side by side."""
        from ..evaluation.report import render_page
        from ..evaluation.variants import describe_variants, lay_out_variants

        runs: list[tuple[Variant, list[ResultLine]]] = []
        for variant in variants:
            out = self.options["out"]
            file = None if out is None else str(variant.name_file(Path(out)))
            options = {**self.options, **variant.options, "out": file}
            asked = replace(self, options=options, left_out=variant.left_out)._ask_all(tuqa)
            if asked is None:
                continue  # only an estimate was wanted
            runs.append((variant, [asked[0][case.id] for case in self.cases]))
        if not runs:
            return
        parts = [*lay_out_variants(runs)]
        if self.options["html"] is not None:
            title = f"{self.benchmark.name}: settings compared"
            write_file(self.options["html"], render_page(title, parts).encode())
        _print_form(self.options["form"], parts, {"variants": describe_variants(runs)})

    def _ask_all(self, tuqa: TrustUQA) -> tuple[dict[str, ResultLine], Dataset, RunOptions] | None:
        """Ask what --out does not have yet; None if only an estimate was wanted."""
        from ..evaluation import runner
        from ..evaluation.several import dataset_name

        # Of several datasets, each case says what to ask, and the others ask all.
        name = "" if self.benchmark.parts else self.dataset
        run_options = self._run_options(name)
        results = self._read_results()
        with progress_bars(self.options["quiet"]) as progress:
            for part in self.benchmark.parts or (self.benchmark,):
                path = self.pack / part.pack if self.benchmark.parts else self.pack
                part_name = dataset_name(part) if self.benchmark.parts else name
                embeddings = not (self.options["no_embeddings"] or self.zero_shot is not None)
                dataset = runner.load_dataset(
                    tuqa, part, path, part_name, embeddings=embeddings, progress=progress
                )
                if run_options.how is not None and not self.options["untaught"]:
                    demonstrations = self.demonstrations
                    if self.benchmark.parts:
                        demonstrations = part.ask(path).demonstrations if part.pack != "." else ()
                    runner.store_demonstrations(tuqa, part_name, demonstrations, progress)
            cases = [case for case in self.cases if case.id not in results]
            if run_options.how is not None and self._is_estimate(
                tuqa, name, cases, run_options.how
            ):
                return None
            recorded = [case for case in self.recorded_cases if case.id not in results]
            with self._open_writer(results) as write:
                runner.run_cases(tuqa, self.case_set, cases, run_options, write, progress)
                if self.recorded is not None:
                    replay = replace(run_options, how=None, readings=0)
                    runner.run_cases(tuqa, self.recorded, recorded, replay, write, progress)
        return results, dataset, run_options

    def _is_estimate(
        self, tuqa: TrustUQA, name: str, cases: Sequence[Case], how: AskOptions
    ) -> bool:
        # An estimate is printed if it is wanted, and before a run whose cost is known.
        from ..model.demonstration import Demonstration

        is_wanted = bool(self.options["estimate"])
        if not is_wanted and tuqa.asked_by(how.get("llm"), how.get("base_url")) == "demonstrations":
            return False
        questions = [Demonstration(case.question, "", source=case.source) for case in cases]
        options: AskOptions = {**how, "llm_function": False}
        plan = tuqa.plan_demonstrations(name, questions, again=True, **options)
        if is_wanted or plan.cost is not None:
            # Questions that are demonstrations too are not in the plan.
            scale = len(cases) / max(1, plan.calls)
            cost = (
                "" if plan.cost is None else f", about {scale * plan.cost:.2f} by TUQA_LLM_PRICES"
            )
            text = f"without repairs, about {scale * plan.tokens:,.0f} tokens{cost}"
            click.echo(f"estimate: {len(cases):,} calls {text}", err=not is_wanted)
        return is_wanted

    @cached_property
    def recorded_cases(self) -> list[Case]:
        return [] if self.recorded is None else _select_cases(self.recorded, self.options)

    def _run_options(self, dataset: str) -> RunOptions:
        from ..evaluation.runner import RunOptions
        from ..questions.with_semantic_parser import OFFERED

        readings = OFFERED if self.options["untaught"] else 0
        workers, timeout = self.options["workers"], self.options["timeout"]
        topics = self.options["topics"]
        asked = self._ask_options()
        return RunOptions(
            dataset, workers, timeout, asked, readings, topics, self.left_out, self.zero_shot
        )

    def _ask_options(self) -> AskOptions | None:
        if self.options["replay"] is not None or self.zero_shot is not None:
            return None
        if self.options["untaught"]:
            return {
                "inference": self.options["inference"],
                "min_confidence": self.options["min_confidence"],
                "llm": "demonstrations",
                "demonstrations": False,
                "evidence": 0,
            }
        return {
            **read_question_options(self.options),
            "evidence": 0,
            # With several runs, each run needs replies of its own, not those of the cache.
            "keep": self.options["keep"] and self.options["runs"] == 1,
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
        from ..graph.interrupts import defer_interrupts

        path = Path(self.options["out"]) if self.options["out"] else None
        with open_results(path) as file:

            def write(line: ResultLine) -> None:
                with defer_interrupts():  # what is counted is in the file
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
        elif self.zero_shot is not None:
            names = ("query_language", "query_repair", "runs", *_OF_BASELINES)
            settings |= {name: self.options[name] for name in names if self.options[name]}
            if self.options["replay"] is not None:
                settings["replay"] = self.options["replay"] or "the references"
            settings["llm"] = self.zero_shot.model and self.zero_shot.model.name
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
            summary.count_retries(lines),
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
        from ..evaluation.report import (
            draw_plots,
            lay_out_details,
            lay_out_summary,
            lay_out_untaught,
            lay_out_usage,
            render_page,
        )
        from ..evaluation.runner import list_failures
        from ..evaluation.summary import measure_details

        by_id = {case.id: case for case in self.cases}
        failures = list_failures(tuqa, lines, by_id, run_options, self.options["failures"] or 0)
        details = measure_details(lines)
        parts = [*lay_out_summary(summary), *lay_out_usage(details, len(lines))]
        if self.options["details"] or self.options["html"] or self.options["form"] == "markdown":
            parts += lay_out_details(details)
        if figures is not None:
            parts += lay_out_untaught(figures)
        if self.options["html"] is not None:
            title = f"{summary.benchmark}: tuqa eval"
            page = render_page(title, parts, draw_plots(summary, lines))
            write_file(self.options["html"], page.encode())
        content: dict[str, Any] = {**summary.to_dict(), "details": asdict(details)}
        if figures is not None:
            content["untaught"] = asdict(figures)
        if failures:
            content["failures"] = [failure.to_dict() for failure in failures]
        _print_form(self.options["form"], parts, content)
        if self.options["form"] is None:
            print_failures(failures)


def _print_form(form: str | None, parts: Sequence[Part], content: dict[str, Any]) -> None:
    from ..evaluation.report import render_csv, render_markdown

    if form is None:
        print_report(parts)
    elif form == "json":
        click.echo(format_json(content, indent=2))
    else:
        click.echo({"markdown": render_markdown, "csv": render_csv}[form](parts))


def _compare(runs: tuple[Path, Path], benchmark: str | None, options: dict[str, Any]) -> None:
    from ..evaluation.comparison import compare_runs, lay_out_comparison
    from ..evaluation.report import render_page

    if benchmark is not None:
        raise UsageError(
            "--compare reads two files and runs no benchmark", hint=f"leave {benchmark} out"
        )
    comparison = compare_runs(*runs)
    parts = [*lay_out_comparison(comparison)]
    if options["html"] is not None:
        write_file(options["html"], render_page("Comparison of two runs", parts).encode())
    _print_form(options["form"], parts, asdict(comparison))


_ALSO_UNTAUGHT = ("inference", "min_confidence")
_NOT_UNTAUGHT = {"replay": None, "unmarked": False, "tables": False, "runs": 1, "estimate": False}
"""Options that mean nothing with --untaught, and their defaults; so do those of a model."""


_OF_BASELINES = (
    "llm", "base_url", "retries", "keep", "temperature", "seed",
    "reply_tokens", "reasoning_effort", "extra_body",
)  # fmt: skip
# Options that mean nothing with --query-language sql or sparql, and their defaults.
_NOT_OF_BASELINES = {
    "untaught": False, "unmarked": False, "topics": False, "tables": False, "estimate": False,
    "ablate": (), "sweep": None,
}  # fmt: skip


def _check_untaught(options: Mapping[str, Any]) -> None:
    if options["untaught"]:
        _refuse_options(options, _NOT_UNTAUGHT, _ALSO_UNTAUGHT, "--untaught")


def _check_baseline(options: Mapping[str, Any]) -> None:
    language, repair = options["query_language"], options["query_repair"]
    if language != OWN_LANGUAGE:
        _refuse_options(options, _NOT_OF_BASELINES, _OF_BASELINES, f"--query-language {language}")
    elif repair is not None:
        raise UsageError(
            "--repair is for baselines",
            hint="add --query-language sparql; our queries have --retries and --repair-prompt",
        )
    if (language, repair) == ("sql", "check"):
        raise UsageError(
            "--repair check needs an ontology, which tables do not have",
            hint="choose blind or none, or --query-language sparql",
        )


def _refuse_options(
    options: Mapping[str, Any], others: Mapping[str, Any], allowed: Sequence[str], flag: str
) -> None:
    # Those that are not ``allowed`` must have their default, and so must ``others``.
    defaults = {name: OPTIONS[name].default for name in read_question_options(options)}
    for name in (*allowed, "timeout"):
        del defaults[name]
    for name, default in {**others, **defaults, "fallback": False}.items():
        if options[name] != default:
            option = OPTIONS[name].shell.partition(" ")[0] if name in OPTIONS else f"--{name}"
            raise UsageError(f"{option} has no meaning with {flag}", hint="leave one of them out")


def _list_variants(options: Mapping[str, Any]) -> tuple[Variant, ...]:
    """Return the settings of --ablate or --sweep; none without them."""
    from ..evaluation.variants import list_ablations

    if options["ablate"] and options["sweep"]:
        raise UsageError("--ablate and --sweep are two experiments", hint="leave one of them out")
    has_model = not (options["untaught"] or options["replay"] is not None)
    if options["ablate"]:
        return list_ablations(options["ablate"], options, has_model=has_model)
    if options["sweep"]:
        if not has_model:
            hint = "leave out --untaught or --replay"
            raise UsageError("--sweep is for questions to a model", hint=hint)
        return _list_sweep(options["sweep"])
    return ()


def _list_sweep(text: str) -> tuple[Variant, ...]:
    """Return a variant for each value in ``examples=0,4,8``, an option of a question.

    Raises:
        UsageError: the text has another form, or the option or a value has no meaning.
    """
    from ..evaluation.variants import Variant

    name, _, listed = text.partition("=")
    name = name.strip().removeprefix("--")
    values = tuple(dict.fromkeys(value.strip() for value in listed.split(",")))
    swept = {p.opts[0].removeprefix("--"): p for p in command.params if p.name in OPTIONS}
    if not (name and all(values)):
        hint = "give an option and its values, such as examples=0,4,8"
        raise UsageError(f"--sweep {text} is not an option with values", hint=hint)
    if name not in swept:
        hint = f"it is one of {format_list(sorted(swept), len(swept))}"
        raise UsageError(f"--sweep has no option {name}", hint=hint)
    option = swept[name]
    variants = []
    for value in values:
        try:
            read = option.process_value(click.get_current_context(), value)
        except click.BadParameter as error:
            raise UsageError(
                f"--sweep {name}: {error.message}", hint="correct the value"
            ) from error
        assert option.name is not None  # an option of click has a name
        variants.append(Variant(f"{name} {value}", {option.name: read}))
    return tuple(variants)


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


def _read_cases(
    benchmark: Benchmark, pack: Path, options: Mapping[str, Any]
) -> tuple[CaseSet, tuple[Demonstration, ...], CaseSet | None]:
    # Cases to run, demonstrations, and training questions with queries to measure by.
    from ..evaluation.metaqa import remove_brackets

    language = options["query_language"]
    if language != OWN_LANGUAGE and benchmark.tables is None:
        raise UsageError(
            f"{benchmark.name} has no baselines",
            hint=f"leave --query-language {language} out, or choose acme",
        )
    if options["replay"] is None:
        questions = benchmark.ask(pack)
        case_set = questions.prepared
        if options["unmarked"]:
            case_set = replace(case_set, cases=tuple(map(remove_brackets, case_set.cases)))
        return case_set, questions.demonstrations, questions.recorded
    if options["replay"] != _PACK_QUERIES:
        return benchmark.prepare(pack, Path(options["replay"])), (), None
    if language == OWN_LANGUAGE:
        return benchmark.prepare(pack, None), (), None
    prepared = benchmark.ask(pack).prepared
    queries = {case.id: case.references.get(language, "") for case in prepared.cases}
    cases = (replace(case, query=queries[case.id]) for case in prepared.cases if queries[case.id])
    return replace(prepared, cases=tuple(cases)), (), None


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
