// Record that nothing of a load that added to a dataset is left.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
SET dataset.adding = null
WITH dataset
MATCH (load:Load {dataset: $dataset, state: 'dropping'})
WHERE load.number IS NOT NULL // uses the index
DELETE load
