// Record how far a load has come, and what it has added.
// $dataset: text
// $source: text
// $file: whole number, the place of the file among the source's
// $position: whole number, facts read of that file
// $nodes: whole number, nodes made
// $facts: whole number, facts made
MATCH (load:Load {dataset: $dataset, source: $source})
SET load.file = $file, load.position = $position
WITH load
MATCH (source:Source {dataset: $dataset, name: $source})
SET source.facts = source.facts + $facts
WITH source
MATCH (dataset:Dataset {name: $dataset})
SET dataset.nodes = dataset.nodes + $nodes, dataset.facts = dataset.facts + $facts
