// List names of nodes without a vector, ordered by key.
// $dataset: stored dataset
// $after: text, the key of the last name of the page before
// $last: whole number, the id of that name's node; -1 for the first page
// $limit: whole number
MATCH (node:Node {dataset: $dataset})
WHERE node.key >= $after AND id(node) <> $last AND node:Name AND node.embedding IS NULL
WITH node ORDER BY node.dataset, node.key LIMIT $limit
RETURN collect([node.key, id(node), node.name]) AS names
