// List the facts of a source between nodes for a property graph: ids of both ends, relation, interval, qualifiers.
// $dataset: stored dataset
// $source: text
// $types: list of the relations that lead to classes
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->()
WITH has.number AS number
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number
  AND NOT fact.relation IN $types AND NOT head:Hyperedge
  AND (NOT tail:Value OR EXISTS { MATCH (tail)-[:FACT]->() })
RETURN id(head) AS head, id(tail) AS tail, fact.relation AS relation, fact.start_text AS start, fact.end_text AS end,
       COLLECT {
         MATCH (edge:Node {dataset: $dataset, key: fact.hyperedge})-[qualifier:FACT]->(value)
         RETURN [qualifier.relation, coalesce(value.name, value.key),
                 value.number, value.unit, value.date_start, value.date_end] AS row
         ORDER BY row[0], row[1]
       } AS qualifiers
