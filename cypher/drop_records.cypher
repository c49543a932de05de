// Delete a dataset's own record, and those of its sources and loads.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (source:Source {dataset: $dataset})
WHERE source.name IS NOT NULL // all have one: named so that the index is used
OPTIONAL MATCH (load:Load {dataset: $dataset, source: source.name})
DETACH DELETE dataset, source, load
