// Make a load this owner's, unless it is complete.
// $dataset: text
// $source: text
// $owner: text
MATCH (load:Load {dataset: $dataset, source: $source})
SET load.owner = $owner, load.touched = datetime(),
    load.state = CASE load.state WHEN 'complete' THEN 'complete' ELSE 'running' END
RETURN load.file AS file, load.position AS position, load.state AS state
