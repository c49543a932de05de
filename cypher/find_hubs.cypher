// Nodes of a dataset with so many facts that looking at all of them is slow, and which are not marked yet.
// $dataset: text
// $degree: whole number, facts of a node from which it is a hub
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // all have one: named so that the index is used
  AND COUNT { (node)-[:FACT]-() } > $degree
  AND node.hub IS NULL
RETURN collect(id(node)) AS nodes
