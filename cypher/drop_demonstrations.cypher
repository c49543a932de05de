// Delete the demonstrations of a dataset, in transactions of their own.
// $dataset: text
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key IS NOT NULL // all have one: named so that the index is used
CALL (demonstration) { DETACH DELETE demonstration } IN TRANSACTIONS OF 20000 ROWS
