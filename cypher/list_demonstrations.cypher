// All demonstrations of a dataset, by their questions.
// $dataset: text
// $states: list of text
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key IS NOT NULL // all have one: named so that the index is used
  AND demonstration.state IN $states
RETURN demonstration.question AS question, demonstration.query AS query, demonstration.answers AS answers,
       demonstration.source AS source, demonstration.fields AS fields, demonstration.state AS state,
       demonstration.why AS why
ORDER BY question, demonstration.key
