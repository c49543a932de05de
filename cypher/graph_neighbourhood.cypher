// List the facts of nodes in graphs by relation and direction: a part of the facts where there are very many.
// For hubs, the relations named are sought by index, so that a rare relation is not missed.
// $datasets: list of stored datasets
// $nodes: list of node ids
// $source: text, or null for any source
// $relations: list of relation names
// $scanned: whole number, facts of a node to read in each direction
// $limit: whole number, facts of a node, relation and direction to return
WITH COLLECT {
  UNWIND $datasets AS dataset
  MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->()
  RETURN has.number
} AS numbers
UNWIND $nodes AS place
MATCH (node)
WHERE id(node) = place
CALL (node, numbers) {
  MATCH (node)-[fact:FACT]->(other)
  WHERE $source IS NULL OR fact.number IN numbers
  RETURN true AS forward, fact, other LIMIT $scanned
  UNION
  MATCH (other)-[fact:FACT]->(node)
  WHERE ($source IS NULL OR fact.number IN numbers) AND NOT other:Row AND NOT other:Hyperedge
  RETURN false AS forward, fact, other LIMIT $scanned
  UNION
  UNWIND $relations AS relation
  CALL (node, relation, numbers) {
    MATCH (head)-[fact:FACT]->(other)
    USING INDEX SEEK fact:FACT(head, relation, number)
    WHERE node.hub IS NOT NULL AND fact.head = node.hub AND fact.relation = relation
      AND fact.number IS NOT NULL AND id(head) = id(node) AND ($source IS NULL OR fact.number IN numbers)
    RETURN fact, other LIMIT $limit
  }
  RETURN true AS forward, fact, other
  UNION
  UNWIND $relations AS relation
  CALL (node, relation, numbers) {
    MATCH (other)-[fact:FACT]->(tail)
    USING INDEX SEEK fact:FACT(tail, relation, number)
    WHERE node.hub IS NOT NULL AND fact.tail = node.hub AND fact.relation = relation
      AND fact.number IS NOT NULL AND id(tail) = id(node) AND ($source IS NULL OR fact.number IN numbers)
      AND NOT other:Row AND NOT other:Hyperedge
    RETURN fact, other LIMIT $limit
  }
  RETURN false AS forward, fact, other
}
WITH place, forward, fact.relation AS relation, collect(
  [id(other), CASE WHEN other:Name OR NOT other:Entity THEN other.name END, fact.start, fact.end, fact.start_text, fact.end_text]
) AS ends
RETURN collect([place, forward, relation, size(ends) > $limit, ends[..$limit]]) AS facts
