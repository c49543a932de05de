// Delete what a load that adds to a dataset has written and that has no fact, in batches.
// $storage: text, stored name of the dataset
MATCH (node:Pending)
WHERE node.dataset = $storage
CALL (node) {
  OPTIONAL MATCH (node)-[:OF]->(named)
  SET named.aliases = [alias IN named.aliases WHERE alias <> node.name]
  DETACH DELETE node
} IN TRANSACTIONS OF 20000 ROWS
