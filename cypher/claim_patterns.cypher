// The model of the vectors of a dataset's patterns; those of another one are removed.
// $dataset: text
// $identity: text, the model
MATCH (dataset:Dataset {name: $dataset})
WHERE coalesce(dataset.pattern_model, '') <> $identity
SET dataset.pattern_model = $identity
WITH dataset
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // all have one: named so that the index is used
  AND pattern.embedding IS NOT NULL
REMOVE pattern.embedding
