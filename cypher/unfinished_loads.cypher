// The loads of a dataset that have not finished, how far each came, and what the dataset waits for.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // all have one: named so that the index is used
  AND load.state <> 'complete'
RETURN dataset.state AS state, load.files[0] AS file, load.at AS at
ORDER BY load.number
