// Recount patterns that lost demonstrations, set their example, and delete those without any.
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
FOREACH (empty IN CASE count WHEN 0 THEN [pattern] ELSE [] END | DETACH DELETE empty)
