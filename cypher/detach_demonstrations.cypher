// Detach demonstrations from their patterns; return the keys of these patterns.
// $dataset: text
// $keys: list of text
UNWIND $keys AS key
MATCH (demonstration:Demonstration {dataset: $dataset, key: key})-[like:LIKE]->(pattern:Pattern)
DELETE like
RETURN collect(DISTINCT pattern.key) AS patterns
