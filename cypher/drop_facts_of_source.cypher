// Delete the facts of a source, in transactions of their own, with the nodes that have no other fact.
// $dataset: text
// $source: text
MATCH (head)-[fact:FACT {dataset: $dataset, source: $source}]->(tail)
WHERE fact.relation IS NOT NULL // all have one: named so that the index is used
CALL (head, fact, tail) {
  DELETE fact
  WITH head, tail
  UNWIND [head, tail] AS node
  WITH DISTINCT node
  WHERE NOT EXISTS { (node)-[:FACT]-() }
  OPTIONAL MATCH (node)<-[:OF]-(alias:Alias)
  DETACH DELETE alias
  DETACH DELETE node
} IN TRANSACTIONS OF 10000 ROWS
