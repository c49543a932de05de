"""``tuqa eval``."""

from __future__ import annotations

import os
import random
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .connecting import connect, connecting
from .failing import let_in
from .progress import bars

if TYPE_CHECKING:
    from ..asking.options import Options
    from ..client import TrustUQA
    from ..demonstrating.demonstration import Demonstration
    from ..evaluation.benchmark import Benchmark, Case, Prepared
    from ..evaluation.lines import Line
    from ..evaluation.replay import Run
    from ..evaluation.summary import Summary

BENCHMARKS = ("metaqa", "wtq", "webqsp", "yago11k", "cronquestions", "acme")
_PACKS_OWN = ""


@click.command()
@click.argument("benchmark", type=click.Choice((*BENCHMARKS, "mutations")))
@click.option(
    "--replay",
    is_flag=False,
    flag_value=_PACKS_OWN,
    help="Run recorded queries, the pack's or those in FILE, instead of asking.",
    metavar="[FILE]",
)
@click.option("--llm", help="Who is asked: demonstrations, or a model.  [env: TUQA_LLM]")
@click.option(
    "--votes", type=click.IntRange(1, 100), default=1, show_default=True, metavar="N",
    help="Queries of a model that are voted on.",
)  # fmt: skip
@click.option("--unmarked", is_flag=True, help="Take brackets away that mark names in questions.")
@click.option("--tables", is_flag=True, help="Ask the tables that the graph was made of (acme).")
@click.option(
    "--runs", type=click.IntRange(1, 100), default=1, show_default=True, metavar="N",
    help="Ask a model each question so often.",
)  # fmt: skip
@click.option("--packs", help="Folder of the data packs.  [env: TUQA_PACKS]", metavar="DIR")
@click.option("--dataset", help="Dataset to ask.  [default: eval-BENCHMARK]", metavar="NAME")
@click.option("--programs", help="Right queries to make mutants of (mutations).", metavar="FILE")
@click.option("--no-embeddings", is_flag=True, help="Embed no names where it has to be loaded.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Queries at a time."
)
@click.option("--out", help="Write a JSON line per question; go on with it.", metavar="FILE")
@click.option("--limit", type=click.IntRange(1), help="Run so many only.", metavar="N")
@click.option("--sample", type=int, help="Shuffle by this seed first.", metavar="SEED")
@click.option(
    "--failures",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=10,
    help="Show so many that are not right.  [10]",
    metavar="[N]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds for one query.",
)
@click.option("--quiet", is_flag=True, help="No progress bars.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@connecting
def command(benchmark: str, **options: Any) -> None:
    """Score the answers to the questions of a benchmark.

    Loads what the benchmark asks once, as a dataset of its own, unless it is there; to be asked, it is
    taught what the training side recorded. An --out file that holds answers already is gone on with. With
    --limit and --sample a random part is run.

    \b
    Example:
      tuqa eval metaqa --packs data --limit 500 --sample 1
      tuqa eval metaqa --replay --packs data --out metaqa.jsonl
      tuqa eval wtq --replay --limit 200 --sample 1 --failures
      tuqa eval mutations --packs data --json
    """
    from ..evaluation.benchmarks import BENCHMARKS as KNOWN
    from ..evaluation.replay import folder_of

    if benchmark == "mutations":
        from .mutations import measured

        measured(None if options["programs"] else _packs(options["packs"]), options)
        return
    chosen = _over(KNOWN[benchmark], options["tables"])
    pack = folder_of(chosen, _packs(options["packs"]))
    taught: tuple[Demonstration, ...] = ()
    if options["replay"] is None:
        asked = chosen.ask(pack)
        prepared, taught = asked.prepared, asked.demonstrations
        if options["unmarked"]:
            cases = tuple(replace(c, question=_unmarked(c.question)) for c in prepared.cases)
            prepared = replace(prepared, cases=cases)
    else:
        file = Path(options["replay"]) if options["replay"] != _PACKS_OWN else None
        prepared = chosen.prepare(pack, file)
    prepared = _repeated(prepared, options["runs"])
    job = _Job(chosen, pack, prepared, taught, _part(prepared, options), options)
    with connect(options["uri"], options["username"], options["database"]) as tuqa:
        let_in()  # names of queries are embedded, too
        job.do(tuqa)


@dataclass(frozen=True)
class _Job:
    """What is run, in the order in which it is: load, replay, tell."""

    benchmark: Benchmark
    pack: Path
    prepared: Prepared
    taught: tuple[Demonstration, ...]
    cases: list[Case]
    options: dict[str, Any]

    def do(self, tuqa: TrustUQA) -> None:
        """Run it, and tell what it came to."""
        from ..evaluation import replay

        name = self.options["dataset"] or f"eval-{self.benchmark.name}"
        run = replay.Run(name, self.options["workers"], self.options["timeout"], self._how())
        done = self._known()
        with bars(self.options["quiet"]) as progress:
            dataset = replay.ready(
                tuqa,
                self.benchmark,
                self.pack,
                name,
                embeddings=not self.options["no_embeddings"],
                progress=progress,
            )
            if run.how is not None:
                replay.teach(tuqa, name, self.taught, progress)
            todo = [case for case in self.cases if case.id not in done]
            with self._writing(done) as write:
                replay.replay(tuqa, self.prepared, todo, run, write, progress)
        lines = [done[case.id] for case in self.cases]
        self._tell(self._summary(tuqa, lines, dataset), tuqa, lines, run)

    def _how(self) -> Options | None:
        """How questions are asked; None where recorded queries are run."""
        if self.options["replay"] is not None:
            return None
        once = self.options["runs"] == 1  # else each run is to have replies of its own
        return {
            "llm": self.options["llm"],
            "votes": self.options["votes"],
            "evidence": 0,
            "keep": once,
        }

    def _known(self) -> dict[str, Line]:
        """What the out file holds of what is to be run."""
        from ..evaluation import lines

        if self.options["out"] is None:
            return {}
        return lines.found(Path(self.options["out"]), self.prepared.cases, self.prepared.score)

    @contextmanager
    def _writing(self, done: dict[str, Line]) -> Iterator[Any]:
        """Takes lines into ``done`` and the out file; says how to go on where it is interrupted."""
        from ..evaluation import lines

        path = Path(self.options["out"]) if self.options["out"] else None
        with lines.opened(path) as file:

            def write(line: Line) -> None:
                done[line.id] = line
                if file is not None:
                    file.write(line.to_json() + "\n")
                    file.flush()

            try:
                yield write
            except KeyboardInterrupt as error:
                raise KeyboardInterrupt(self._how_to_go_on(done)) from error

    def _how_to_go_on(self, done: dict[str, Line]) -> str:
        count = sum(case.id in done for case in self.cases)
        if self.options["out"] is None:
            return "interrupted: nothing is kept; with --out FILE it could be gone on with"
        where = shlex.quote(self.options["out"])
        return (
            f"interrupted: {count:,} of {len(self.cases):,} answers are in {where}, "
            "the same command goes on with it"
        )

    def _summary(self, tuqa: TrustUQA, lines: list[Line], dataset: Any) -> Summary:
        from ..evaluation import ends
        from ..evaluation.made_with import made_with
        from ..evaluation.summary import Summary, by_function, by_group

        given = {name: self.options[name] for name in ("workers", "timeout", "limit", "sample")}
        if self.options["replay"] is None:
            given |= {name: self.options[name] for name in ("votes", "unmarked", "runs")}
            given["llm"] = tuqa.asked_by(self.options["llm"])
            given["demonstrations"] = tuqa.demonstrations.counts(dataset.name).verified
        else:
            given = {"replay": self.options["replay"] or "the pack's", **given}
        settings = made_with(tuqa.ping(), dataset, **given)
        return Summary(
            self.benchmark.name,
            self.benchmark.metrics,
            by_group(lines),
            by_function(lines, self.cases),
            dict(self.prepared.left_out),
            settings,
            ends.by_group(lines) if "partial" in self.benchmark.metrics else (),
            ends.fired(lines) if "partial" in self.benchmark.metrics else {},
        )

    def _tell(self, summary: Summary, tuqa: TrustUQA, lines: list[Line], run: Run) -> None:
        from ..evaluation.failures import failures
        from . import figures
        from .drawing import json_of

        by_id = {case.id: case for case in self.cases}
        failed = failures(tuqa, lines, by_id, run, self.options["failures"] or 0)
        if self.options["as_json"]:
            shown = {"failures": [each.to_dict() for each in failed]} if failed else {}
            click.echo(json_of({**summary.to_dict(), **shown}, indent=2))
            return
        figures.draw_summary(summary)
        figures.draw_failures(failed)


def _unmarked(question: str) -> str:
    """The question without the first bracket and the last, which stand around its topic."""
    before, _, rest = question.partition("[")
    inside, _, after = rest.rpartition("]")
    return before + inside + after if rest and inside else question


def _over(benchmark: Benchmark, tables: bool) -> Benchmark:
    """The benchmark, or the same over tables."""
    if not tables:
        return benchmark
    if benchmark.tables is None:
        raise UsageError(f"{benchmark.name} has no tables of its own", hint="leave --tables out")
    return benchmark.tables


def _repeated(prepared: Prepared, runs: int) -> Prepared:
    """Each question so many times, by an id of its own."""
    if runs == 1:
        return prepared
    cases = (
        replace(case, id=f"{case.id}#{run}")
        for run in range(1, runs + 1)
        for case in prepared.cases
    )
    return replace(prepared, cases=tuple(cases))


def _packs(given: str | None) -> Path:
    named = given or os.environ.get("TUQA_PACKS")
    if not named:
        what = "nothing says where the data packs are"
        raise UsageError(what, hint="give --packs DIR, or set TUQA_PACKS")
    return Path(named)


def _part(prepared: Prepared, options: dict[str, Any]) -> list[Case]:
    """The cases to run: all, or as many as wished, the first or a random part."""
    cases = list(prepared.cases)
    if options["sample"] is not None:
        random.Random(options["sample"]).shuffle(cases)  # noqa: S311 # no secret
    return cases[: options["limit"]]
