// Patterns of a dataset that have no vector of a model yet, at most a number of them.
// $dataset: text
// $identity: text, the model
// $limit: whole number
MATCH (dataset:Dataset {name: $dataset})
MATCH (pattern:Pattern {dataset: $dataset})
WHERE pattern.key IS NOT NULL // all have one: named so that the index is used
  AND (pattern.embedding IS NULL OR coalesce(dataset.pattern_model, '') <> $identity)
WITH pattern LIMIT $limit
RETURN collect([pattern.key, pattern.words]) AS patterns
