"""Count recorded and gold queries that the language cannot express: ``python -m bench.expressiveness``.

Only the form of a query counts: it is parsed, validated and planned without data, so no server is needed.
What a query that can be written answers is counted by ``tuqa eval BENCHMARK --replay``.

    python -m bench.expressiveness --packs ../data
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from trustuqa_neo4j.evaluation import packs
from trustuqa_neo4j.evaluation.registry import BENCHMARKS
from trustuqa_neo4j.evaluation.report import ReportTable, render_markdown, wilson_interval
from trustuqa_neo4j.language.ast import Problem, ProblemKind, Query
from trustuqa_neo4j.validation.query_form import parse, plan_query, read_form

AGGREGATES = ("", "max", "min", "count", "sum", "mean")
OPERATORS = ("=", ">", "<")
MAX_CONDITIONS = 3
SHOWN_FUNCTIONS = 8


@dataclass
class QueryCounts:
    """``missing`` questions have no query; ``reasons`` counts queries by what the language lacks."""

    name: str
    queries: int = 0
    missing: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)

    def add(self, text: str | None) -> None:
        if text is None:
            self.missing += 1
            return
        self.queries += 1
        problem = find_problem(text)
        if problem is not None:
            self.reasons[str(problem.kind)] += 1
            if problem.kind is ProblemKind.UNKNOWN_FUNCTION:
                self.functions[problem.message.partition(";")[0].split()[-1]] += 1

    @property
    def row(self) -> tuple[str, ...]:
        lacking = self.reasons.total()
        low, high = wilson_interval(lacking, self.queries)
        reasons = ", ".join(f"{reason} {n}" for reason, n in self.reasons.most_common())
        share = f"{100 * lacking / max(1, self.queries):.1f}"
        interval = f"{100 * low:.1f}–{100 * high:.1f}"
        return self.name, reasons or "–", f"{self.queries:,}", f"{lacking:,}", share, interval


def find_problem(text: str) -> Problem | None:
    """Return the first reason why this query cannot run over any data."""
    query = parse(text)
    if not isinstance(query, Query):
        return query[0]
    form = read_form(text, query)
    errors = [problem for problem in form.problems if problem.severity == "error"]
    if errors:
        return errors[0]
    plan = plan_query(form, {}, {})
    return plan[0] if isinstance(plan, tuple) else None


def read_recorded(pack: Path) -> Iterator[str | None]:
    """Yield the queries that a model wrote; None if it wrote none."""
    for file in packs.find_files(pack, "llm_queries*.jsonl"):
        for record in packs.read_records(file):
            yield record.optional("llm_output")


def read_templates(name: str) -> Callable[[Path], Iterator[str | None]]:
    """Yield the gold query of each question by the template of its type."""

    def read(pack: Path) -> Iterator[str | None]:
        prepared = BENCHMARKS[name].prepare(pack, None)
        yield from (case.query for case in prepared.cases)
        yield from [None] * sum(prepared.left_out.values())

    return read


def read_sql_forms(_: Path) -> Iterator[str]:
    """Yield a query for each aggregate of WikiSQL with each choice of up to three conditions.

    Its SQL has one selected column, one aggregate or none, and conditions joined by AND.
    """
    for aggregate in AGGREGATES:
        for count in range(MAX_CONDITIONS + 1):
            for operators in product(OPERATORS, repeat=count):
                yield translate_sql(aggregate, operators)


def translate_sql(aggregate: str, operators: Sequence[str]) -> str:
    """Return the query for SQL with these operators, one for each condition."""
    steps = [
        f"get_information(relation='column {n}', tail_entity{operator}'{n}')"
        for n, operator in enumerate(operators, 1)
    ]
    if len(steps) > 1:
        sets = ", ".join(f"set{n}='output_of_query{n}'" for n in range(1, len(steps) + 1))
        steps.append(f"set_intersection({sets})")
    rows = f", head_entity='output_of_query{len(steps)}'" if steps else ""
    steps.append(f"get_information(relation='selected column'{rows})")
    if aggregate:
        steps.append(f"{aggregate}(set='output_of_query{len(steps)}')")
    return "\n".join(f"Query{number}: {step}" for number, step in enumerate(steps, 1))


SOURCES: Mapping[str, tuple[str, Callable[[Path], Iterator[str | None]]]] = {
    "wikisql, forms of gold SQL": ("wikisql", read_sql_forms),
    "wtq, recorded": ("wtq", read_recorded),
    "metaqa, recorded": ("metaqa", read_recorded),
    "webqsp, recorded": ("webqsp", read_recorded),
    "cronquestions, gold by type": ("cronquestions", read_templates("cronquestions")),
    "yago11k, gold by type": ("yago11k", read_templates("yago11k")),
    "acme, gold SQL": ("acme", read_templates("acme")),
}


def count_queries(folder: Path) -> Iterator[QueryCounts]:
    for name, (pack, read) in SOURCES.items():
        counts = QueryCounts(name)
        for text in read(folder / pack):
            counts.add(text)
        yield counts


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.expressiveness", description=__doc__)
    parser.add_argument("--packs", type=Path, required=True, help="folder of the data packs")
    counts = [*count_queries(parser.parse_args().packs)]
    columns = ("queries", "reasons", "n", "not expressible", "%", "95 %")
    print(render_markdown([ReportTable("", columns, tuple(row.row for row in counts), 2)]))
    for row in counts:
        if row.missing:
            print(f"\n{row.name}: {row.missing:,} questions have no query")
        if row.functions:
            names = (f"{name} {n}" for name, n in row.functions.most_common(SHOWN_FUNCTIONS))
            print(f"\n{row.name}, undefined functions: {', '.join(names)}, …")


if __name__ == "__main__":
    main()
