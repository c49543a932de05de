// A load that its process no longer works on.
// $dataset: text
// $source: text
// $owner: text
MATCH (load:Load {dataset: $dataset, source: $source, owner: $owner})
WHERE load.state = 'running'
SET load.state = 'stopped'
