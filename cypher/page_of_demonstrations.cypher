// Demonstrations of a dataset, in the order of their keys, from the one after a key on.
// $dataset: text
// $states: list of text
// $after: text, a key
// $limit: whole number
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key > $after AND demonstration.state IN $states
WITH demonstration ORDER BY demonstration.dataset, demonstration.key LIMIT $limit
RETURN collect([demonstration.question, demonstration.query, demonstration.answers, demonstration.source,
                demonstration.fields, demonstration.state, demonstration.why]) AS demonstrations
