"""Measures the links that a prompt shows: are the names of a right query among them?

Of WikiTableQuestions: questions whose recorded query names cells or columns that the table has; all cells,
and all columns, of the query must be linked. Of WebQSP: questions whose recorded query starts from names of
the graph. Of MetaQA: the topic is in brackets, which are taken away. The last figures are those of questions
whose hash leaves them out of all fits.

    TUQA_PACKS=folder python -m bench.linking [QUESTIONS]
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.semantic_parser.corpus import read_snapshot
from bench.semantic_parser.memory_graph import MemoryGraph, load_graph
from trustuqa_neo4j.evaluation import packs
from trustuqa_neo4j.evaluation.splits import choose_side
from trustuqa_neo4j.language.ast import Call, Literal, Query, get_children, walk
from trustuqa_neo4j.language.parser import parse_query
from trustuqa_neo4j.matching import normalize_name
from trustuqa_neo4j.semantic_parser.graph_parser import link_neighbourhood
from trustuqa_neo4j.semantic_parser.question import read_question
from trustuqa_neo4j.semantic_parser.question_links import (
    QuestionLink,
    select_graph_links,
    select_table_links,
)
from trustuqa_neo4j.semantic_parser.table_links import link_table

SEED = "linking"
_OUTPUT = re.compile(r"output_of_query", re.IGNORECASE)


def main() -> None:
    from bench.harness import packs_folder

    folder = packs_folder()
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    sizes: dict[str, list[int]] = defaultdict(list)
    for pack in (_measure_tables, _measure_webqsp, _measure_metaqa):
        for name, question, is_linked, links in pack(folder, limit):
            counts[name, "all"].append(is_linked)
            counts[name, choose_side(question)].append(is_linked)
            sizes[name].append(links)
    print(
        f"{'names of':<28}{'questions':>10}{'linked %':>10}{'left out':>10}{'linked %':>10}{'links':>8}"
    )
    for name in sizes:
        row = [counts[name, "all"], counts[name, "test"]]
        cells = "".join(f"{len(part):>10,}{100 * sum(part) / len(part):>10.1f}" for part in row)
        print(f"{name:<28}{cells}{sum(sizes[name]) / len(sizes[name]):>8.1f}")


Measured = Iterator[tuple[str, str, bool, int]]


def _sample(path: Path, limit: int) -> list[packs.PackRecord]:
    records = list(packs.read_records(path))
    random.Random(SEED).shuffle(records)
    return records[: 3 * limit]


def _measure_tables(folder: Path, limit: int) -> Measured:
    for record in _sample(packs.find_file(folder / "wtq", "llm_queries.jsonl"), limit):
        query = _parse(record.optional("llm_output"))
        examples = record.records("examples")
        if query is None or not examples:
            continue
        table = read_snapshot(folder / "wtq", examples[0].text("table"))
        text = record.text("question")
        cells = {
            normalize_name(name)
            for name in _values(query)
            if any(normalize_name(name) in column.rows_by_text for column in table.columns)
        }
        columns = set(_relations(query)) & {column.name for column in table.columns}
        question = read_question(text)
        links = select_table_links(question, table, link_table(question, table))
        names = {normalize_name(name) for link in links for name in link.names}
        if cells:
            yield "cells of WTQ", text, cells <= names, len(links)
        if columns:
            linked = {link.column for link in links}
            yield "columns of WTQ", text, columns <= linked, len(links)
        if cells or columns:
            is_linked = bool(cells & names or columns & {link.column for link in links})
            yield "a cell or column of WTQ", text, is_linked, len(links)


def _measure_webqsp(folder: Path, limit: int) -> Measured:
    graph = load_graph("webqsp", [folder / "webqsp"])
    for record in _sample(packs.find_file(folder / "webqsp", "llm_queries.jsonl"), limit):
        query = _parse(record.optional("llm_output"))
        topics = [] if query is None else [name for name in _values(query) if _nodes(graph, name)]
        if topics:
            text = record.text("question")
            links = _link(text, graph)
            linked = {node for link in links for node in link.nodes}
            is_linked = all(linked & set(_nodes(graph, topic)) for topic in topics)
            yield "topics of WebQSP", text, is_linked, len(links)


def _measure_metaqa(folder: Path, limit: int) -> Measured:
    graph = load_graph("metaqa", [folder / "metaqa"])
    for hops in (1, 2, 3):
        path = packs.find_file(folder / "metaqa", f"questions.{hops}hop.dev.jsonl")
        for record in _sample(path, limit)[: limit // 3]:
            text = record.text("question").replace("[", "").replace("]", "")
            links = _link(text, graph)
            names = {name for link in links for name in link.names}
            yield "topics of MetaQA", text, record.text("topic") in names, len(links)


def _nodes(graph: MemoryGraph, name: str) -> list[int]:
    folded = normalize_name(name)
    return [*graph.by_name.get(folded, ()), *graph.by_alias.get(folded, ())]


def _link(text: str, graph: MemoryGraph) -> tuple[QuestionLink, ...]:
    return select_graph_links(*link_neighbourhood(read_question(text), graph))


def _parse(text: str | None) -> Query | None:
    query = None if text is None else parse_query(text)
    return query if isinstance(query, Query) else None


def _values(query: Query) -> Iterator[str]:
    """Yield the names that searches start from or lead to."""
    for name, text in _arguments(query):
        if name in ("head_entity", "tail_entity", "value") and not _OUTPUT.match(text):
            yield text


def _relations(query: Query) -> Iterator[str]:
    for name, text in _arguments(query):
        if name in ("relation", "key"):
            yield text


def _arguments(query: Query) -> Iterator[tuple[str, str]]:
    for step in query.steps:
        for call in walk(step.value):
            for argument in call.arguments if isinstance(call, Call) else ():
                for literal in (argument.value, *get_children(argument.value)):
                    if isinstance(literal, Literal) and argument.name:
                        yield argument.name, literal.text


if __name__ == "__main__":
    main()
