// A dataset that an import has left as one being dropped is now being loaded; its first load counts what it has.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset, state: 'dropping'})
SET dataset.state = 'loading', dataset.nodes = 0, dataset.facts = 0
RETURN dataset.name AS name
