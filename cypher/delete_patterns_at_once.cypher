// Delete the question patterns of a dataset, in the transaction of the caller.
// $dataset: text
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // uses the index
DETACH DELETE pattern
