// The loads of a dataset that their owner no longer works on; where they stopped, the latest first.
// $dataset: text
// $owner: text
MATCH (dataset:Dataset {name: $dataset})
MATCH (load:Load {dataset: $dataset, owner: $owner, state: 'running'})
WHERE load.source IS NOT NULL // all have one: named so that the index is used
SET load.state = 'stopped'
RETURN load.files[load.file] AS file, load.position AS read, dataset.facts AS facts
ORDER BY load.touched DESC
