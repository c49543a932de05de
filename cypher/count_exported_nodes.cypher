// Count the nodes of a property graph that an export of a dataset wrote.
// $dataset: text
MATCH (node) WHERE node.tuqa_export = $dataset
RETURN count(node) AS nodes
