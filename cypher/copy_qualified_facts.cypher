// Link the copies of qualifier nodes to those of the ends of their facts, in batches.
// $storage: text, stored name of the dataset
// $target: text, stored name of the copy
MATCH (copy:Node {dataset: $target})
WHERE copy.key IS NOT NULL // uses the index
  AND 'Hyperedge' IN labels(copy) // with the label itself, the planner reads those of all datasets
CALL (copy) {
  MATCH (edge:Node {dataset: $storage, key: copy.key})
  MATCH (edge)-[:HEAD]->(start)
  MATCH (edge)-[:TAIL]->(end)
  MATCH (head:Node {dataset: $target, key: start.key})
  MATCH (tail:Node {dataset: $target, key: end.key})
  MERGE (copy)-[:HEAD]->(head)
  MERGE (copy)-[:TAIL]->(tail)
} IN TRANSACTIONS OF 10000 ROWS
