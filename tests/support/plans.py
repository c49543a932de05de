"""Plans of the semantic parser, in memory and as queries on the server."""

from __future__ import annotations

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.evaluation.metrics import matches_denotation
from trustuqa_neo4j.questions.dataset_contents import read_contents
from trustuqa_neo4j.questions.table_snapshots import load_snapshot
from trustuqa_neo4j.reads.reader import Reader
from trustuqa_neo4j.semantic_parser.plans import TablePlan, write_query
from trustuqa_neo4j.semantic_parser.snapshot import TableSnapshot


def check_plan(
    client: TrustUQA,
    dataset: str,
    table: TableSnapshot,
    plan: TablePlan,
    members: tuple[str | float, ...],
) -> None:
    """The plan denotes the members over the table, and its query over the source of its name."""
    texts = [str(member) for member in members]
    assert matches_denotation(texts, plan.evaluate(table))
    answer = client.run(write_query(plan, table), dataset, source=table.name)
    assert not answer.problems
    cells = [cell for row in answer.rows or () for cell in row] or answer.values
    assert matches_denotation(texts, cells), answer


def read_table(client: TrustUQA, dataset: str) -> TableSnapshot:
    """The only table of a dataset."""

    def read(reader: Reader) -> TableSnapshot:
        contents = read_contents(reader, dataset, None)
        return load_snapshot(reader, contents, contents.tables[0])

    return client.connection.read(read)
