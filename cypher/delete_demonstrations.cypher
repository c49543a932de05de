// Delete the demonstrations of a dataset in batches.
// $dataset: text
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key IS NOT NULL // uses the index
CALL (demonstration) { DETACH DELETE demonstration } IN TRANSACTIONS OF 20000 ROWS
