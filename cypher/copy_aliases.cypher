// Copy the aliases of the nodes that were copied to another stored name, in batches.
// $storage: text, stored name of the dataset
// $target: text, stored name of the copy
MATCH (alias:Alias {dataset: $storage})
WHERE alias.folded IS NOT NULL // uses the index
MATCH (alias)-[:OF]->(node)
MATCH (named:Node {dataset: $target, key: node.key})
CALL (alias, named) {
  MERGE (named)<-[:OF]-(copy:Alias {dataset: $target, name: alias.name})
  ON CREATE SET copy += alias {.*, dataset: $target}, copy:Name
} IN TRANSACTIONS OF 10000 ROWS
