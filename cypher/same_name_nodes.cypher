// Find nodes of other datasets with the folded names of the given nodes, and whether the names are identical.
// $nodes: list of node ids
// $datasets: list of stored datasets
// $public: map of stored datasets to their names
MATCH (node)
WHERE id(node) IN $nodes AND node.folded IS NOT NULL AND (node:Name OR node:Value)
UNWIND $datasets AS dataset
MATCH (other:Node {dataset: dataset, folded: node.folded})
WHERE other.dataset <> node.dataset AND (other:Name OR other:Value)
RETURN collect([id(node), id(other), other.name, other.name = node.name, coalesce($public[other.dataset], other.dataset)]) AS twins
