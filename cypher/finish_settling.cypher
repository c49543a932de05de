// Record that all of a dataset is settled.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
SET dataset.settling = null
