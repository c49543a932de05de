// Nodes whose facts are all indexed by the node's number, so that they are looked up by it.
// $nodes: list of node ids
MATCH (node)
WHERE id(node) IN $nodes
SET node.hub = id(node)
