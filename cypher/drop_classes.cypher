// Delete the classes that a dataset's sources declare, or one of them.
// $dataset: text
// $source: text, or null for all
MATCH (class:Class {dataset: $dataset})
WHERE class.source IS NOT NULL AND class.name IS NOT NULL // all have them: named so that the index is used
  AND ($source IS NULL OR class.source = $source)
CALL (class) { DETACH DELETE class } IN TRANSACTIONS OF 20000 ROWS
