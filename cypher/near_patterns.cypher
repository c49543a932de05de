// Describe the patterns with the given keys, then those with the most similar words, each by a demonstration of the given source and fields; a pattern without one is left out.
// $keys: list of [dataset, key of the pattern]
// $datasets: list of text
// $text: text, in the language of full-text queries; empty for no search
// $limit: whole number, patterns to fetch from the index, of all datasets
// $source: text, the source of the demonstration, or null for any
// $fields: list of name=value that the demonstration must have
// $vector: list of numbers to compare the vector of the pattern with, or null
CALL () {
  UNWIND $keys AS pair
  MATCH (pattern:Pattern {dataset: pair[0], key: pair[1]})
  RETURN pattern, null AS score
  UNION ALL
  UNWIND CASE $text WHEN '' THEN [] ELSE [$text] END AS text
  CALL db.index.fulltext.queryNodes('tuqa_pattern_text', text, {limit: $limit}) YIELD node, score
  WHERE node.dataset IN $datasets
  RETURN node AS pattern, score
}
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
                pattern.count, vector.similarity.cosine(pattern.embedding, $vector), score]) AS patterns
