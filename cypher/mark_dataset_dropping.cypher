// Hide a dataset before it is dropped, and stop its loads from writing.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // uses the index
SET load.state = 'dropping', load.owner = null
WITH DISTINCT dataset
SET dataset.complete = false, dataset.state = 'dropping'
RETURN dataset.nodes AS nodes, dataset.facts AS facts
