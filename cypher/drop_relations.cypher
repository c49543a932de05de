// Delete the relations of a dataset from the catalogue.
// $dataset: text
MATCH (relation:Relation {dataset: $dataset})
WHERE relation.name IS NOT NULL // all have one: named so that the index is used
CALL (relation) { DETACH DELETE relation } IN TRANSACTIONS OF 20000 ROWS
