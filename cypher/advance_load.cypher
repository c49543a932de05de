// Record how far a load has read, and how many nodes and facts it has added.
// $dataset: text
// $number: whole number
// $position: whole number, items read
// $at: text, the file and line that were read last
// $nodes: whole number, nodes made
// $facts: whole number, facts made
MATCH (load:Load {dataset: $dataset, number: $number})
SET load.position = $position, load.at = $at, load.nodes = coalesce(load.nodes, 0) + $nodes,
    load.facts = coalesce(load.facts, 0) + $facts
WITH load
MATCH (dataset:Dataset {name: $dataset})
WHERE dataset.adding IS NULL
SET dataset.nodes = dataset.nodes + $nodes, dataset.facts = dataset.facts + $facts
