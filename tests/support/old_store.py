"""A database as version 7 left it: facts have the names of their dataset and source, and no numbers."""

from __future__ import annotations

from trustuqa_neo4j import TrustUQA

_STATEMENTS = (
    """MATCH (s:Source)-[has:HAS]->() MATCH ()-[fact:FACT {number: has.number}]->()
    SET fact.dataset = s.dataset, fact.source = s.name REMOVE fact.number""",
    "MATCH ()-[has:HAS]->() REMOVE has.number",
    "DROP CONSTRAINT tuqa_fact_group",
    "DROP INDEX tuqa_fact_number",
    "DROP INDEX tuqa_fact_span",
    "DROP INDEX tuqa_fact_from_hub",
    "DROP INDEX tuqa_fact_to_hub",
    "CREATE INDEX tuqa_fact_source FOR ()-[fact:FACT]-() ON (fact.dataset, fact.source, fact.relation)",
    """CREATE INDEX tuqa_fact_held FOR ()-[fact:FACT]-()
    ON (fact.dataset, fact.relation, fact.span, fact.start)""",
    "CREATE INDEX tuqa_fact_head FOR ()-[fact:FACT]-() ON (fact.head, fact.relation, fact.source)",
    "CREATE INDEX tuqa_fact_tail FOR ()-[fact:FACT]-() ON (fact.tail, fact.relation, fact.source)",
    "CALL db.awaitIndexes(60)",
    "MATCH (schema:Schema) SET schema.version = 7 REMOVE schema.numbers",
)


def make_old(tuqa: TrustUQA) -> None:
    with tuqa.connection.driver.session() as session:
        for statement in _STATEMENTS:
            session.run(statement).consume()
