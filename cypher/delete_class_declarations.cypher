// Delete the class declarations of a dataset.
// $dataset: text
MATCH (class:Class {dataset: $dataset})
WHERE class.source IS NOT NULL AND class.name IS NOT NULL // uses the index
CALL (class) { DETACH DELETE class } IN TRANSACTIONS OF 20000 ROWS
