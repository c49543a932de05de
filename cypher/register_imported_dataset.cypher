// Change the state of a dataset from dropping, as an import leaves it, to loading.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset, state: 'dropping'})
SET dataset.state = 'loading', dataset.nodes = 0, dataset.facts = 0
RETURN dataset.name AS name
