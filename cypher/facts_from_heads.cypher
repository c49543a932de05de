// Find facts of the relations from the given heads: both ends, ids of equal facts, first ids of those to split by qualifiers.
// $datasets: list of stored datasets
// $nodes: list of node ids
// $relations: list of relation names
// $source: text, or null for any source
WITH COLLECT {
  UNWIND $datasets AS dataset
  MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->(relation)
  WHERE relation.name IN $relations
  RETURN has.number
} AS numbers
CALL (numbers) {
  MATCH (head)-[fact:FACT]->(tail)
  WHERE id(head) IN $nodes AND head.hub IS NULL AND fact.relation IN $relations
    AND ($source IS NULL OR fact.number IN numbers)
  RETURN head, tail, fact
  UNION ALL
  MATCH (hub)
  WHERE id(hub) IN $nodes AND hub.hub IS NOT NULL AND $source IS NULL
  WITH hub.hub AS hub_id, id(hub) AS place, numbers
  UNWIND $relations AS relation
  MATCH (head)-[fact:FACT]->(tail)
  USING INDEX SEEK fact:FACT(head, relation, number)
  WHERE fact.head = hub_id AND fact.relation = relation AND fact.number IS NOT NULL AND id(head) = place
  RETURN head, tail, fact
  UNION ALL
  MATCH (hub)
  WHERE id(hub) IN $nodes AND hub.hub IS NOT NULL AND $source IS NOT NULL
  WITH hub.hub AS hub_id, id(hub) AS place, numbers
  UNWIND $relations AS relation
  MATCH (head)-[fact:FACT]->(tail)
  USING INDEX SEEK fact:FACT(head, relation, number)
  WHERE fact.head = hub_id AND fact.relation = relation AND fact.number IN numbers AND id(head) = place
  RETURN head, tail, fact
}
WITH head, tail, fact.relation AS relation, fact.start AS start, fact.end AS end, collect(id(fact)) AS facts,
     count(fact.hyperedge) AS qualified
RETURN collect(id(head)) AS heads, collect(id(tail)) AS tails, collect(facts) AS facts,
       collect(CASE WHEN qualified > 0 AND size(facts) > 1 THEN facts[0] END) AS qualified
