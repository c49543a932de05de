// List nodes of a dataset with so many facts that a scan of them is slow, and that are not marked yet.
// $dataset: stored dataset
// $degree: whole number, a node with more facts is a hub
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // uses the index
  AND COUNT { (node)-[:FACT]-() } > $degree
  AND node.hub IS NULL
RETURN collect(id(node)) AS nodes
