// Patterns of demonstrations of the datasets, in the order of their keys, at most a number of each.
// $datasets: list of text
// $limit: whole number
UNWIND $datasets AS dataset
CALL (dataset) {
  MATCH (pattern:Pattern {dataset: dataset})
  WHERE pattern.key IS NOT NULL // all have one: named so that the index is used
  WITH pattern ORDER BY pattern.dataset, pattern.key LIMIT $limit
  RETURN pattern
}
RETURN collect([pattern.dataset, pattern.template, pattern.question, pattern.query, pattern.source, pattern.count,
                null, null]) AS patterns
