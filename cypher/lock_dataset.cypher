// Lock a dataset for this transaction; return whether it is complete.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
SET dataset.state = dataset.state
RETURN coalesce(dataset.complete, false) AS complete
