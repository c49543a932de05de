// Find the nodes of graphs by name, label or alias, a few for each; rows and qualifier nodes have none.
// $dataset: stored dataset
// $names: list of folded names
// $limit: whole number, nodes of one name
UNWIND $names AS folded
CALL (folded) {
  MATCH (node:Node {dataset: $dataset, folded: folded})
  RETURN node, 'name' AS tier LIMIT $limit
  UNION
  MATCH (:Alias {dataset: $dataset, folded: folded})-[:OF]->(node)
  RETURN node, 'alias' AS tier LIMIT $limit
}
WITH folded, node, tier WHERE node.name IS NOT NULL AND NOT node:Row
RETURN collect([folded, tier, id(node), node.name]) AS names
