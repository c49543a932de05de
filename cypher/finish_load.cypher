// A load has read all its files; its dataset becomes visible.
// $dataset: text
// $number: whole number
// $owner: text
// $kind: text, what the dataset's sources are
MATCH (load:Load {dataset: $dataset, number: $number, owner: $owner})
SET load.state = 'complete', load.finished = datetime(), load.at = null
WITH load
MATCH (dataset:Dataset {name: $dataset, state: 'loading'})
SET dataset.complete = true, dataset.state = 'complete', dataset.loaded = datetime(), dataset.kind = $kind
RETURN dataset.nodes AS nodes, dataset.facts AS facts
