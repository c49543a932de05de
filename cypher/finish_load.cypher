// Mark a load that has read all its files as complete; its dataset becomes visible.
// $dataset: text
// $number: whole number
// $owner: text
// $kind: text, kind of the dataset's sources
MATCH (load:Load {dataset: $dataset, number: $number, owner: $owner})
SET load.state = 'complete', load.finished = datetime(), load.at = null
WITH load
MATCH (dataset:Dataset {name: $dataset, state: 'loading'})
SET dataset.complete = true, dataset.state = 'complete', dataset.loaded = datetime(), dataset.kind = $kind
RETURN dataset.nodes AS nodes, dataset.facts AS facts
