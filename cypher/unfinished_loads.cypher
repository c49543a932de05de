// List the unfinished loads of a dataset and how far each got, and the state of the dataset.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // uses the index
  AND load.state <> 'complete'
RETURN dataset.state AS state, load.files[0] AS file, load.at AS at
ORDER BY load.number
