// List patterns of a dataset without a vector of the model, up to a limit.
// $dataset: text, or the name of a group
// $identity: text, the model
// $limit: whole number
CALL () {
  MATCH (dataset:Dataset {name: $dataset})
  RETURN dataset
  UNION
  MATCH (dataset:DatasetGroup {name: $dataset})
  RETURN dataset
}
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // uses the index
  AND (pattern.embedding IS NULL OR coalesce(dataset.pattern_model, '') <> $identity)
WITH pattern LIMIT $limit
RETURN collect([pattern.key, pattern.words]) AS patterns
