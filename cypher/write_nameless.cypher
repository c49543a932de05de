// Add entities without a name, with what people read instead, that the dataset does not have yet. They lack the label Name.
// $dataset: text
// $nodes: list of [key, name, folded], the last two null if people read the key
UNWIND $nodes AS row
MERGE (node:Node {dataset: $dataset, key: row[0]})
ON CREATE SET node:Entity, node.name = row[1], node.folded = row[2]
RETURN collect(id(node)) AS ids
