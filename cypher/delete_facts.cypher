// Delete the facts of a dataset in batches.
// $dataset: text
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // uses the index
CALL (node) {
  MATCH (node)-[fact:FACT]->()
  DELETE fact
} IN TRANSACTIONS OF 2000 ROWS
