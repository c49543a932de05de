// Patterns that lost demonstrations: counted anew, shown by the first that they have, deleted where they have none.
// $dataset: text
// $patterns: list of keys
UNWIND $patterns AS key
MATCH (pattern:Pattern {dataset: $dataset, key: key})
CALL (pattern) {
  OPTIONAL MATCH (pattern)<-[:LIKE]-(demonstration:Demonstration)
  WITH demonstration ORDER BY demonstration.key
  RETURN count(demonstration) AS count, head(collect(demonstration)) AS first
}
SET pattern += {
  count: count, first: first.key, question: first.question, query: first.query, source: first.source
}
FOREACH (gone IN CASE count WHEN 0 THEN [pattern] ELSE [] END | DETACH DELETE gone)
