// Names of nodes.
// $nodes: list of node ids
MATCH (node)
WHERE id(node) IN $nodes
RETURN id(node) AS id, node.name AS name
