// List the relations from the given heads to the given tails, with the ids of their facts.
// $datasets: list of stored datasets
// $heads: list of node ids
// $tails: list of node ids
// $source: text, or null for any source
WITH COLLECT {
  UNWIND $datasets AS dataset
  MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->()
  RETURN has.number
} AS numbers
MATCH (head)-[fact:FACT]->(tail)
WHERE id(head) IN $heads AND id(tail) IN $tails AND ($source IS NULL OR fact.number IN numbers)
WITH fact.relation AS relation, collect(id(fact)) AS facts ORDER BY relation
RETURN collect([relation, facts]) AS relations
