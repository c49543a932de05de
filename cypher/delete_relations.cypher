// Delete the relations of a dataset from the catalog.
// $dataset: text
MATCH (relation:Relation {dataset: $dataset})
WHERE relation.name IS NOT NULL // uses the index
CALL (relation) { DETACH DELETE relation } IN TRANSACTIONS OF 20000 ROWS
