// Delete the nodes of a dataset that has no facts left, in transactions of their own.
// $dataset: text
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // all have one: named so that the index is used
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 20000 ROWS
