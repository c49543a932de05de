// Create an empty, incomplete dataset unless it exists; lock it for this transaction either way.
// $dataset: text
// $kind: text
// $values: text, how values are read
MERGE (dataset:Dataset {name: $dataset})
ON CREATE SET dataset.kind = $kind, dataset.values = $values, dataset.complete = false,
              dataset.state = 'loading', dataset.nodes = 0, dataset.facts = 0
SET dataset.state = dataset.state
