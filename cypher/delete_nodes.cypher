// Delete the nodes of a dataset without facts in batches.
// $dataset: text
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // uses the index
CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 20000 ROWS
