// Mark nodes as hubs: all their facts are indexed by the id of the node.
// $nodes: list of node ids
MATCH (node)
WHERE id(node) IN $nodes
SET node.hub = id(node)
