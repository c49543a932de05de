// Delete the sources of a dataset, with their statistics of relations.
// $dataset: text
MATCH (source:Source {dataset: $dataset})
WHERE source.name IS NOT NULL // uses the index
CALL (source) { DETACH DELETE source } IN TRANSACTIONS OF 1000 ROWS
