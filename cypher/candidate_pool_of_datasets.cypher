// List nodes of the datasets that have a name, up to a limit.
// $datasets: list of stored datasets
// $limit: whole number
UNWIND $datasets AS dataset
MATCH (node:Node {dataset: dataset})
WHERE node.key IS NOT NULL AND node:Name
WITH node LIMIT $limit
RETURN collect(id(node)) AS nodes
