// A dataset, locked for this transaction, and whether it is complete.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
SET dataset.state = dataset.state
RETURN coalesce(dataset.complete, false) AS complete
