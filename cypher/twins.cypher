// Nodes of other datasets that share a folded name with the given ones, and whether it is the very same name.
// $nodes: list of node ids
// $datasets: list of text
MATCH (node)
WHERE id(node) IN $nodes AND node.folded IS NOT NULL
UNWIND $datasets AS dataset
MATCH (other:Node {dataset: dataset, folded: node.folded})
WHERE other.dataset <> node.dataset
RETURN collect([id(node), id(other), other.name, other.name = node.name, other.dataset]) AS twins
