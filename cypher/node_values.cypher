// What nodes are called and mean; a node without a name is called by its key. Rows have a position.
// $nodes: list of node ids
MATCH (node)
WHERE id(node) IN $nodes
RETURN collect([id(node), coalesce(node.name, node.key), node.number, node.unit, node.date_start, node.date_end,
                node.position]) AS nodes
