// List the relations of the facts to the given tails, those with most facts first.
// $datasets: list of stored datasets
// $tails: list of node ids
// $source: text, or null for any source
// $with_facts: whether to return the ids of the facts
WITH COLLECT {
  UNWIND $datasets AS dataset
  MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->()
  RETURN has.number
} AS numbers
MATCH ()-[fact:FACT]->(tail)
WHERE id(tail) IN $tails AND ($source IS NULL OR fact.number IN numbers)
WITH fact.relation AS relation, count(*) AS count, collect(CASE WHEN $with_facts THEN id(fact) END) AS facts
ORDER BY count DESC, relation
RETURN collect([relation, facts]) AS relations
