// Set the states of demonstrations whose query has not changed; return their keys.
// $dataset: text
// $rows: list of maps of key, query, state, and why
UNWIND $rows AS row
MATCH (demonstration:Demonstration {dataset: $dataset, key: row.key})
WHERE demonstration.query = row.query
SET demonstration.state = row.state, demonstration.why = row.why
RETURN collect(row.key) AS keys
