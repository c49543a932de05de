// Add entities, called by their names, that the dataset does not have yet.
// $dataset: text
// $nodes: list of [key, name, folded]
UNWIND $nodes AS row
MERGE (node:Node {dataset: $dataset, key: row[0]})
ON CREATE SET node:Entity:Name, node.name = row[1], node.folded = row[2]
RETURN collect(id(node)) AS ids
