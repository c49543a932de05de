// Mark a load that has read all its files as complete; its dataset becomes visible.
// $dataset: text
// $number: whole number
// $owner: text
// $kind: text, kind of the dataset's sources
MATCH (load:Load {dataset: $dataset, number: $number, owner: $owner})
SET load.state = 'complete', load.finished = datetime(), load.at = null
WITH load
MATCH (dataset:Dataset {name: $dataset})
WHERE dataset.state = 'loading' OR dataset.adding IS NOT NULL
WITH load, dataset, dataset.adding IS NOT NULL AS adds
SET dataset.complete = true, dataset.state = 'complete', dataset.loaded = datetime(), dataset.kind = $kind,
    dataset.nodes = dataset.nodes + CASE WHEN adds THEN coalesce(load.nodes, 0) ELSE 0 END,
    dataset.facts = dataset.facts + CASE WHEN adds THEN coalesce(load.facts, 0) ELSE 0 END,
    dataset.adding = null, dataset.settling = CASE WHEN adds THEN true END
RETURN dataset.nodes AS nodes, dataset.facts AS facts
