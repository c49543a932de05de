// A new dataset, empty and not complete, unless there is one; locked for this transaction either way.
// $dataset: text
// $kind: text
MERGE (dataset:Dataset {name: $dataset})
ON CREATE SET dataset.kind = $kind, dataset.complete = false, dataset.state = 'loading',
              dataset.nodes = 0, dataset.facts = 0
SET dataset.state = dataset.state
