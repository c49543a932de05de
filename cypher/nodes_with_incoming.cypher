// Return those of the nodes that are the tail of a fact.
// $datasets: list of stored datasets
// $nodes: list of node ids
// $relations: list of relation names; none for all
// $source: text, or null for any source
WITH COLLECT {
  UNWIND $datasets AS dataset
  MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->(relation)
  WHERE size($relations) = 0 OR relation.name IN $relations
  RETURN has.number
} AS numbers
CALL (numbers) {
  MATCH (node)
  WHERE id(node) IN $nodes AND node.hub IS NULL AND EXISTS {
    MATCH (node)<-[fact:FACT]-()
    WHERE (size($relations) = 0 OR fact.relation IN $relations) AND ($source IS NULL OR fact.number IN numbers)
  }
  RETURN id(node) AS place
  UNION
  MATCH (hub)
  WHERE id(hub) IN $nodes AND hub.hub IS NOT NULL AND size($relations) = 0 AND EXISTS {
    MATCH (hub)<-[fact:FACT]-()
    WHERE $source IS NULL OR fact.number IN numbers
  }
  RETURN id(hub) AS place
  UNION
  MATCH (hub)
  WHERE id(hub) IN $nodes AND hub.hub IS NOT NULL
  WITH hub.hub AS hub_id, id(hub) AS place, numbers
  UNWIND $relations AS relation
  CALL (hub_id, place, relation, numbers) {
    MATCH ()-[fact:FACT]->(tail)
    USING INDEX SEEK fact:FACT(tail, relation, number)
    WHERE fact.tail = hub_id AND fact.relation = relation AND fact.number IS NOT NULL
      AND ($source IS NULL OR fact.number IN numbers) AND id(tail) = place
    RETURN fact LIMIT 1
  }
  RETURN place
}
RETURN collect(place) AS nodes
