// Return which of the names are names of sources of a dataset.
// $dataset: stored dataset
// $names: list of text
MATCH (source:Source {dataset: $dataset})
WHERE source.name IN $names
RETURN collect(source.name) AS names
