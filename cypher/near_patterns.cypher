// Patterns of demonstrations by nearness in meaning or likeness of their words; asked of an index that can filter by dataset.
// $datasets: list of text
// $text: text, in the language of full-text queries; empty for none
// $limit: whole number, of patterns each way
// $source: text, of which one of a pattern's demonstrations has to be, or null
// $fields: list of name=value, which one of a pattern's demonstrations has to have
// $embedded: list of text, those datasets whose patterns have vectors
// $vector: list of numbers
CYPHER 25
CALL () {
  UNWIND $embedded AS dataset
  CALL (dataset) {
    MATCH (pattern:Pattern)
    SEARCH pattern IN (VECTOR INDEX tuqa_pattern_vector FOR $vector WHERE pattern.dataset = dataset LIMIT $limit)
    RETURN pattern
  }
  RETURN pattern, null AS score
  UNION ALL
  UNWIND CASE $text WHEN '' THEN [] ELSE [$text] END AS text
  CALL db.index.fulltext.queryNodes('tuqa_pattern_text', text, {limit: $limit}) YIELD node AS pattern, score
  RETURN pattern, score
}
WITH pattern, max(score) AS score
WHERE pattern.dataset IN $datasets
CALL (pattern) {
  WITH pattern AS shown WHERE $source IS NULL AND size($fields) = 0
  RETURN shown
  UNION
  WITH pattern WHERE $source IS NOT NULL OR size($fields) > 0
  MATCH (pattern)<-[:LIKE]-(demonstration:Demonstration)
  WHERE ($source IS NULL OR demonstration.source = $source)
    AND all(field IN $fields WHERE field IN demonstration.fields)
  WITH demonstration AS shown ORDER BY demonstration.key LIMIT 1
  RETURN shown
}
RETURN collect([pattern.dataset, pattern.template, shown.question, shown.query, shown.source, pattern.count,
                vector.similarity.cosine(pattern.embedding, $vector), score]) AS patterns
