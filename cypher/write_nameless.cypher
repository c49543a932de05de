// Add entities without a name that the dataset does not have yet.
// $dataset: text
// $nodes: list of [key]
UNWIND $nodes AS row
MERGE (node:Node {dataset: $dataset, key: row[0]})
ON CREATE SET node:Entity
RETURN collect(id(node)) AS ids
