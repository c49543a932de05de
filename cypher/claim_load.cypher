// Make a load this process's own.
// $dataset: text
// $source: text
// $owner: text
MATCH (load:Load {dataset: $dataset, source: $source})
SET load.owner = $owner, load.state = 'running'
RETURN load.file AS file, load.position AS position
