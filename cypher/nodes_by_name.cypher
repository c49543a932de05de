// Find nodes by their exact names.
// $datasets: list of stored datasets
// $names: list of [name, folded name]
UNWIND $datasets AS dataset
UNWIND $names AS row
MATCH (node:Node {dataset: dataset, folded: row[1]})
WHERE node.name = row[0]
RETURN collect([row[0], id(node)]) AS nodes
