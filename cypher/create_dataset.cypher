// Create an empty, incomplete dataset unless it exists; lock it for this transaction either way; return its stored name.
// $dataset: text
// $kind: text
// $values: text, how values are read
// $storage: text, the stored name of its data, or null for its own
// $version_of: text, the dataset whose place it will take, or null
MERGE (dataset:Dataset {name: $dataset})
ON CREATE SET dataset.kind = $kind, dataset.values = $values, dataset.complete = false,
              dataset.state = 'loading', dataset.nodes = 0, dataset.facts = 0,
              dataset.storage = $storage, dataset.version_of = $version_of
SET dataset.state = dataset.state
RETURN coalesce(dataset.storage, dataset.name) AS storage
