// Find nodes whose normalized names start with a text, up to a limit.
// $datasets: list of stored datasets
// $texts: list of normalized texts
// $limit: whole number
UNWIND $datasets AS dataset
UNWIND $texts AS text
MATCH (node:Node)
WHERE node.dataset = dataset AND node.folded STARTS WITH text
WITH DISTINCT node LIMIT $limit
RETURN collect(id(node)) AS nodes
