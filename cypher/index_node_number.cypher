// Values are found by their numbers.
CREATE INDEX tuqa_node_number IF NOT EXISTS FOR (node:Node) ON (node.dataset, node.number)
