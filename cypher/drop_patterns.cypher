// Delete the patterns of a dataset that has no demonstrations left, in transactions of their own.
// $dataset: text
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // all have one: named so that the index is used
CALL (pattern) { DETACH DELETE pattern } IN TRANSACTIONS OF 20000 ROWS
