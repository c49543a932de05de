// Nodes of the datasets whose names are text, at most a number of them.
// $datasets: list of text
// $limit: whole number
UNWIND $datasets AS dataset
MATCH (node:Node {dataset: dataset})
WHERE node.key IS NOT NULL AND node:Name
WITH node LIMIT $limit
RETURN collect(id(node)) AS nodes
