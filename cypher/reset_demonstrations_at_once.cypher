// Make all demonstrations of a dataset candidates, in the transaction of the caller.
// $dataset: text
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key IS NOT NULL // uses the index
  AND NOT demonstration.state IN ['wrong', 'saved']
SET demonstration.state = 'candidate', demonstration.why = ''
