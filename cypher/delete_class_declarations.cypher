// Delete the class declarations of a dataset, or of one of its sources.
// $dataset: text
// $source: text, or null for all
MATCH (class:Class {dataset: $dataset})
WHERE class.source IS NOT NULL AND class.name IS NOT NULL // uses the index
  AND ($source IS NULL OR class.source = $source)
CALL (class) { DETACH DELETE class } IN TRANSACTIONS OF 20000 ROWS
