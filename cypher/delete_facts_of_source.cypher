// Delete the facts of a source in batches, and the nodes that are then without a fact.
// $dataset: text
// $source: text
MATCH (head)-[fact:FACT {dataset: $dataset, source: $source}]->(tail)
WHERE fact.relation IS NOT NULL // uses the index
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
