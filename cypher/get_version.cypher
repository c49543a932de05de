// Return the version of a dataset that readers see.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
RETURN coalesce(dataset.storage, dataset.name) AS storage, dataset.adding AS adding, toString(dataset.loaded) AS loaded
