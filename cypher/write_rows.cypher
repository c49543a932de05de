// Add rows that the dataset does not have yet.
// $dataset: text
// $nodes: list of [key, name, source, position]
UNWIND $nodes AS row
MERGE (node:Node {dataset: $dataset, key: row[0]})
ON CREATE SET node:Row, node.name = row[1], node.source = row[2], node.position = row[3]
RETURN collect(id(node)) AS ids
