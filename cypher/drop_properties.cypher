// Delete what a dataset's sources declare of relations, or one of them.
// $dataset: text
// $source: text, or null for all
MATCH (property:Property {dataset: $dataset})
WHERE property.source IS NOT NULL AND property.name IS NOT NULL // all have them: named so that the index is used
  AND ($source IS NULL OR property.source = $source)
CALL (property) { DETACH DELETE property } IN TRANSACTIONS OF 20000 ROWS
