// Describe patterns, each by a demonstration of the given source and fields; a pattern without one is left out.
// $keys: list of [dataset, key of the pattern]
// $source: text, the source of the demonstration, or null for any
// $fields: list of name=value that the demonstration must have
// $vector: list of numbers to compare the vector of the pattern with, or null
UNWIND $keys AS pair
MATCH (pattern:Pattern {dataset: pair[0], key: pair[1]})
CALL (pattern) {
  WITH pattern AS example WHERE $source IS NULL AND size($fields) = 0
  RETURN example
  UNION
  WITH pattern WHERE $source IS NOT NULL OR size($fields) > 0
  MATCH (pattern)<-[:LIKE]-(demonstration:Demonstration)
  WHERE ($source IS NULL OR demonstration.source = $source)
    AND all(field IN $fields WHERE field IN demonstration.fields)
  WITH demonstration AS example ORDER BY demonstration.key LIMIT 1
  RETURN example
}
RETURN collect([pattern.dataset, pattern.key, pattern.template, example.question, example.query, example.source,
                pattern.count, vector.similarity.cosine(pattern.embedding, $vector)]) AS patterns
