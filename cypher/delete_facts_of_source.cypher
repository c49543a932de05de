// Delete the facts of a source in batches, and the nodes that are then without a fact and no class of others.
// $dataset: text
// $source: text
// $declaring: list of text, other sources with class declarations
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->()
WITH has.number AS number
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number
CALL (head, fact, tail) {
  DELETE fact
  WITH head, tail
  UNWIND [head, tail] AS node
  WITH DISTINCT node
  WHERE NOT EXISTS { (node)-[:FACT]-() } AND NOT EXISTS {
    UNWIND $declaring AS source
    MATCH (class:Class {dataset: $dataset, source: source, name: node.name})
    RETURN class
  }
  OPTIONAL MATCH (node)<-[:OF]-(alias:Alias)
  DETACH DELETE alias
  DETACH DELETE node
} IN TRANSACTIONS OF 10000 ROWS
