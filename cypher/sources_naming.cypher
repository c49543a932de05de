// Which of the names lead to each source: hubs, which are in most sources, tell nothing.
// $datasets: list of text
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
RETURN fact.source AS source, collect(DISTINCT folded) AS names
