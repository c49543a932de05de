// Store demonstrations; return for each whether it is new, changed, the same, or kept as usable.
// $dataset: text
// $rows: list of maps of key, question, query, answers, source, state, why, and fields as name=value
// $replace: whether usable ones (verified or runs) are replaced too
UNWIND $rows AS row
MERGE (demonstration:Demonstration {dataset: $dataset, key: row.key})
WITH demonstration, row, CASE
  WHEN demonstration.query IS NULL THEN 'new'
  WHEN demonstration.query = row.query AND demonstration.fields = row.fields
    AND row.why IN ['', demonstration.why]
    AND coalesce(demonstration.answers = row.answers, demonstration.answers IS NULL AND row.answers IS NULL) THEN 'same'
  WHEN demonstration.state IN ['verified', 'runs'] AND NOT $replace THEN 'kept'
  ELSE 'changed'
END AS became
FOREACH (written IN CASE WHEN became IN ['new', 'changed'] THEN [demonstration] ELSE [] END |
  SET written.question = row.question, written.query = row.query, written.answers = row.answers,
      written.source = row.source, written.fields = row.fields, written.state = row.state, written.why = row.why
)
RETURN collect([row.key, became]) AS became
