// Delete the aliases of a dataset's nodes, in transactions of their own.
// $dataset: text
MATCH (alias:Alias {dataset: $dataset})
WHERE alias.folded IS NOT NULL // all have one: named so that the index is used
CALL (alias) { DETACH DELETE alias } IN TRANSACTIONS OF 20000 ROWS
