// Keys of demonstrations of a dataset, at most a number of them.
// $dataset: text
// $states: list of text
// $source: text, or null for any
// $question: text, or null for any
// $limit: whole number
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key IS NOT NULL // all have one: named so that the index is used
  AND demonstration.state IN $states
  AND ($source IS NULL OR demonstration.source = $source)
  AND ($question IS NULL OR demonstration.question = $question)
WITH demonstration LIMIT $limit
RETURN collect(demonstration.key) AS keys
