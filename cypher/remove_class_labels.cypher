// Remove the labels of classes from nodes that are not members, in batches.
// $dataset: stored dataset
// $classes: list of [id of the class, or null if it has no members; label]
// $types: list of the relations that lead to classes
UNWIND $classes AS row
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // uses the index
  AND row[1] IN labels(node)
  AND NOT EXISTS { MATCH (node)-[fact:FACT]->(class) WHERE fact.relation IN $types AND id(class) = row[0] }
CALL (node, row) { REMOVE node:$(row[1]) } IN TRANSACTIONS OF 20000 ROWS
