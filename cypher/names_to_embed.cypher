// List names of nodes without a vector, ordered by key.
// $dataset: text
// $after: text, the key to start from
// $limit: whole number
MATCH (node:Node {dataset: $dataset})
WHERE node.key >= $after AND node:Name AND node.embedding IS NULL
WITH node ORDER BY node.dataset, node.key LIMIT $limit
RETURN collect([node.key, id(node), node.name]) AS names
