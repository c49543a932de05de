// Make all demonstrations of a dataset candidates, to be verified again, in batches.
// $dataset: text
MATCH (demonstration:Demonstration {dataset: $dataset})
WHERE demonstration.key IS NOT NULL // uses the index
  AND NOT demonstration.state IN ['wrong', 'saved']
CALL (demonstration) {
  SET demonstration.state = 'candidate', demonstration.why = ''
} IN TRANSACTIONS OF 20000 ROWS
