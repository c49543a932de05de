// A load that its owner no longer works on; where it stopped.
// $dataset: text
// $owner: text
MATCH (dataset:Dataset {name: $dataset})
MATCH (load:Load {dataset: $dataset, owner: $owner, state: 'running'})
WHERE load.number IS NOT NULL // all have one: named so that the index is used
SET load.state = 'stopped'
RETURN load.number AS number, load.at AS at, dataset.facts AS facts
