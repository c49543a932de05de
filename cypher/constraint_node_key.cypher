// A key is unique in its dataset.
CREATE CONSTRAINT tuqa_node_key IF NOT EXISTS FOR (node:Node) REQUIRE (node.dataset, node.key) IS UNIQUE
