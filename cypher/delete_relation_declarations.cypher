// Delete the relation declarations of a dataset, or of one of its sources.
// $dataset: text
// $source: text, or null for all
MATCH (property:Property {dataset: $dataset})
WHERE property.source IS NOT NULL AND property.name IS NOT NULL // uses the index
  AND ($source IS NULL OR property.source = $source)
CALL (property) { DETACH DELETE property } IN TRANSACTIONS OF 20000 ROWS
