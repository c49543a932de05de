// Verified demonstrations join their patterns, which are made where they are new, and shown by the first of theirs.
// $dataset: text
// $rows: list of maps of key, pattern, template, words, and masked
UNWIND $rows AS row
MATCH (demonstration:Demonstration {dataset: $dataset, key: row.key})
MERGE (pattern:Pattern {dataset: $dataset, key: row.pattern})
ON CREATE SET pattern.template = row.template, pattern.words = row.words, pattern.masked = row.masked, pattern.count = 0
CREATE (demonstration)-[:LIKE]->(pattern)
WITH pattern, demonstration ORDER BY demonstration.key
WITH pattern, count(*) AS more, head(collect(demonstration)) AS first
SET pattern.count = pattern.count + more
WITH pattern, first WHERE coalesce(first.key < pattern.first, true)
SET pattern += {first: first.key, question: first.question, query: first.query, source: first.source}
