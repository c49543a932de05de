// Demonstrations are taken out of their patterns; which these are.
// $dataset: text
// $keys: list of text
UNWIND $keys AS key
MATCH (demonstration:Demonstration {dataset: $dataset, key: key})-[like:LIKE]->(pattern:Pattern)
DELETE like
RETURN collect(DISTINCT pattern.key) AS patterns
