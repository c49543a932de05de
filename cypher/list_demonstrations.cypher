// List demonstrations of a dataset by key, from after a key, up to a limit.
// $dataset: text
// $states: list of text
// $after: text, the key after which to start
// $limit: whole number
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key > $after AND demonstration.state IN $states
WITH demonstration ORDER BY demonstration.dataset, demonstration.key LIMIT $limit
RETURN collect([demonstration.question, demonstration.query, demonstration.answers, demonstration.source,
                demonstration.fields, demonstration.state, demonstration.why]) AS demonstrations
