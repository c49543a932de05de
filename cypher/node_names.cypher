// Names of nodes, as one list: rows cost far more than members.
// $nodes: list of node ids
MATCH (node)
WHERE id(node) IN $nodes
RETURN collect(node.name) AS names
