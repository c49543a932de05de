// Create nodes of a property graph.
// $nodes: list of [labels, properties]
UNWIND $nodes AS row
CREATE (node)
SET node = row[1], node:$(row[0])
RETURN collect(id(node)) AS ids
