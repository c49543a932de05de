// Nodes are found by their folded names.
CREATE INDEX tuqa_node_folded IF NOT EXISTS FOR (node:Node) ON (node.dataset, node.folded)
