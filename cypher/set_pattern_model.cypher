// Record the model of the vectors of a dataset's patterns, and remove the vectors of another model.
// $dataset: text
// $identity: text, the model
MATCH (dataset:Dataset {name: $dataset})
WHERE coalesce(dataset.pattern_model, '') <> $identity
SET dataset.pattern_model = $identity
WITH dataset
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // uses the index
  AND pattern.embedding IS NOT NULL
REMOVE pattern.embedding
