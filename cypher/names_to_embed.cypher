// Names of nodes that are text and have no vector yet, in the order of their keys.
// $dataset: text
// $after: text, the key from which to look
// $limit: whole number
MATCH (node:Node {dataset: $dataset})
WHERE node.key >= $after AND node:Name AND node.embedding IS NULL
WITH node ORDER BY node.dataset, node.key LIMIT $limit
RETURN collect([node.key, id(node), node.name]) AS names
