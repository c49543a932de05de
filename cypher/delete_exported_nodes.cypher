// Delete the nodes of a property graph that an export of a dataset wrote, in batches.
// $dataset: text
MATCH (node) WHERE node.tuqa_export = $dataset
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 20000 ROWS
