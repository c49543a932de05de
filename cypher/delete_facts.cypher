// Delete the facts of a dataset in batches.
// $dataset: text
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // uses the index
MATCH (node)-[fact:FACT]->()
CALL (fact) { DELETE fact } IN TRANSACTIONS OF 20000 ROWS
