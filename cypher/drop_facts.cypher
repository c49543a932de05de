// Delete the facts of a dataset, in transactions of their own.
// $dataset: text
MATCH (node:Node {dataset: $dataset})-[fact:FACT]->()
WHERE node.key IS NOT NULL // all have one: named so that the index is used
CALL (fact) { DELETE fact } IN TRANSACTIONS OF 20000 ROWS
