// Delete the question patterns of a dataset in batches.
// $dataset: text
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // uses the index
CALL (pattern) { DETACH DELETE pattern } IN TRANSACTIONS OF 20000 ROWS
