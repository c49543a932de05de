// Delete a dataset's own record, and those of its loads.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // all have one: named so that the index is used
DETACH DELETE dataset, load
