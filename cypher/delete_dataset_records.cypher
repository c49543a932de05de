// Delete the record of a dataset and the records of its loads.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // uses the index
DETACH DELETE dataset, load
