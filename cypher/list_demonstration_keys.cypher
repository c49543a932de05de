// List keys of demonstrations of a dataset, up to a limit.
// $dataset: text
// $states: list of text
// $source: text, or null for any
// $question: text, or null for any
// $limit: whole number
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key IS NOT NULL // uses the index
  AND demonstration.state IN $states
  AND ($source IS NULL OR demonstration.source = $source)
  AND ($question IS NULL OR demonstration.question = $question)
WITH demonstration LIMIT $limit
RETURN collect(demonstration.key) AS keys
