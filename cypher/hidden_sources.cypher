// List the sources of a dataset that a load adds to it and readers do not see yet.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
WHERE dataset.adding IS NOT NULL
MATCH (source:Source {dataset: coalesce(dataset.storage, dataset.name)})
WHERE source.name IS NOT NULL // uses the index
  AND source:Pending
RETURN source.name AS name
