// Names of nodes, or keys where there is none, as one list: rows cost far more than members.
// $nodes: list of node ids
MATCH (node)
WHERE id(node) IN $nodes
RETURN collect(coalesce(node.name, node.key)) AS names
