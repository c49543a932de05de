// Return the totals of a dataset and whether it is complete.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
RETURN dataset.kind AS kind, dataset.values AS values, dataset.complete AS complete, dataset.nodes AS nodes,
       dataset.facts AS facts, toString(dataset.loaded) AS loaded
