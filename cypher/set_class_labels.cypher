// Label the members of classes in batches.
// $classes: list of [id of the class, label]
// $types: list of the relations that lead to classes
UNWIND $classes AS row
MATCH (node)-[fact:FACT]->(class)
WHERE id(class) = row[0] AND fact.relation IN $types AND NOT row[1] IN labels(node)
CALL (node, row) { SET node:$(row[1]) } IN TRANSACTIONS OF 20000 ROWS
