// A dataset that is about to be dropped is no longer visible, and no load may write to it any more.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // all have one: named so that the index is used
SET load.state = 'dropping', load.owner = null
WITH DISTINCT dataset
SET dataset.complete = false, dataset.state = 'dropping'
RETURN dataset.nodes AS nodes, dataset.facts AS facts
