// Mark nodes without facts as hubs, before they get very many.
// $nodes: list of node ids
UNWIND $nodes AS number
MATCH (node)
WHERE id(node) = number AND NOT EXISTS { (node)-[:FACT]-() }
SET node.hub = id(node)
