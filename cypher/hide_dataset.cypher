// A dataset that is about to be dropped is no longer visible.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
SET dataset.complete = false, dataset.state = 'dropping'
RETURN dataset.nodes AS nodes, dataset.facts AS facts
