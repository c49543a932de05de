// Copy the nodes of a dataset that have no fact to another stored name, in batches.
// $storage: text, stored name of the dataset
// $target: text, stored name of the copy
MATCH (node:Node {dataset: $storage})
WHERE node.key IS NOT NULL // uses the index
  AND NOT EXISTS { (node)-[:FACT]-() }
CALL (node) {
  MERGE (copy:Node {dataset: $target, key: node.key})
  ON CREATE SET copy += node {.*, dataset: $target, hub: null}, copy:$(labels(node))
} IN TRANSACTIONS OF 10000 ROWS
