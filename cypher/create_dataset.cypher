// A new dataset, empty and not complete, unless there is one; locked for this transaction either way.
// $dataset: text
// $kind: text
// $values: text, how values are read
MERGE (dataset:Dataset {name: $dataset})
ON CREATE SET dataset.kind = $kind, dataset.values = $values, dataset.complete = false,
              dataset.state = 'loading', dataset.nodes = 0, dataset.facts = 0
SET dataset.state = dataset.state
