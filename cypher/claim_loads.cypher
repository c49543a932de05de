// Make the loads of a dataset that are not complete this owner's.
// $dataset: text
// $owner: text
MATCH (load:Load {dataset: $dataset})
WHERE load.source IS NOT NULL // all have one: named so that the index is used
  AND load.state <> 'complete'
SET load.owner = $owner, load.state = 'running', load.touched = datetime()
