// Delete the sources of a dataset, and what they say of its relations.
// $dataset: text
MATCH (source:Source {dataset: $dataset})
WHERE source.name IS NOT NULL // all have one: named so that the index is used
CALL (source) { DETACH DELETE source } IN TRANSACTIONS OF 1000 ROWS
