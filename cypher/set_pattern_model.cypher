// Record the model of the vectors of a dataset's patterns, and remove the vectors that an earlier model left under its number.
// $dataset: text, or the name of a group
// $identity: text, the model
CALL () {
  MATCH (dataset:Dataset {name: $dataset})
  RETURN dataset
  UNION
  MATCH (dataset:DatasetGroup {name: $dataset})
  RETURN dataset
}
WITH dataset WHERE coalesce(dataset.pattern_model, '') <> $identity
SET dataset.pattern_model = $identity
WITH dataset
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // uses the index
  AND pattern.embedding IS NOT NULL
REMOVE pattern.embedding
