// Mark a load as stopped by its owner; return how far it got.
// $dataset: text
// $owner: text
MATCH (dataset:Dataset {name: $dataset})
MATCH (load:Load {dataset: $dataset, owner: $owner, state: 'running'})
WHERE load.number IS NOT NULL // uses the index
SET load.state = 'stopped'
RETURN load.number AS number, load.at AS at,
       dataset.facts + CASE WHEN dataset.adding IS NULL THEN 0 ELSE coalesce(load.facts, 0) END AS facts
