// List the relations from and to each node with one example fact; a row has no name.
// $datasets: list of stored datasets
// $nodes: list of node ids
// $source: text, or null for any source
// $limit: whole number, facts of a node to read
WITH COLLECT {
  UNWIND $datasets AS dataset
  MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->()
  RETURN has.number
} AS numbers
MATCH (node)
WHERE id(node) IN $nodes
CALL (node, numbers) {
  MATCH (node)-[fact:FACT]-(other)
  WHERE $source IS NULL OR fact.number IN numbers
  WITH fact, other LIMIT $limit
  WITH fact, other ORDER BY id(fact)
  WITH fact.relation AS relation, startNode(fact) = node AS out, collect(other)[0] AS other
  ORDER BY relation, out
  RETURN collect([relation, out, id(other), CASE WHEN NOT other:Row AND (other:Name OR NOT other:Entity) THEN other.name END]) AS links
}
RETURN id(node) AS node, CASE WHEN NOT node:Row AND (node:Name OR NOT node:Entity) THEN node.name END AS name, links
