// Attach usable demonstrations to their patterns; create new patterns, with their first demonstration as example.
// $dataset: text
// $rows: list of maps of key, pattern, template, words, and masked
UNWIND $rows AS row
MATCH (demonstration:Demonstration {dataset: $dataset, key: row.key})
MERGE (pattern:Pattern {dataset: $dataset, key: row.pattern})
ON CREATE SET pattern.template = row.template, pattern.words = row.words, pattern.masked = row.masked, pattern.count = 0
CREATE (demonstration)-[:LIKE]->(pattern)
WITH pattern, demonstration ORDER BY demonstration.key
WITH pattern, count(*) AS added, head(collect(demonstration)) AS first
SET pattern.count = pattern.count + added
WITH pattern, first WHERE coalesce(first.key < pattern.first, true)
SET pattern += {first: first.key, question: first.question, query: first.query, source: first.source}
