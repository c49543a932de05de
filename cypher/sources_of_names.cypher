// Return for each source which of the names it has; hubs, which are in most sources, do not count.
// $datasets: list of stored datasets
// $names: list of folded names
UNWIND $datasets AS dataset
UNWIND $names AS folded
CALL (dataset, folded) {
  MATCH (node:Node {dataset: dataset, folded: folded})
  RETURN node
  UNION
  MATCH (:Alias {dataset: dataset, folded: folded})-[:OF]->(node)
  RETURN node
}
MATCH (node)<-[fact:FACT]-()
WHERE node.hub IS NULL
WITH fact.number AS number, collect(DISTINCT folded) AS names
MATCH (source)-[has:HAS]->()
USING INDEX SEEK has:HAS(number)
WHERE has.number = number
UNWIND names AS name
RETURN source.name AS source, collect(DISTINCT name) AS names
