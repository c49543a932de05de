// Stop a load that adds to a dataset, before what it has written is deleted.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
WHERE dataset.adding IS NOT NULL
MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // uses the index
  AND load.state <> 'complete'
SET load.owner = null, load.state = 'dropping'
