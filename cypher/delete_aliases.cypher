// Delete the aliases of a dataset in batches.
// $dataset: text
MATCH (alias:Alias {dataset: $dataset})
WHERE alias.folded IS NOT NULL // uses the index
CALL (alias) { DETACH DELETE alias } IN TRANSACTIONS OF 20000 ROWS
