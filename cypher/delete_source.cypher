// Delete the record of a source, and count the remaining nodes and facts of its dataset.
// $dataset: text
// $storage: text, stored name of the dataset
// $source: text
MATCH (source:Source {dataset: $storage, name: $source})
WITH source, source.load AS number
DETACH DELETE source
WITH DISTINCT number
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset, number: number})
WITH dataset, load, number, dataset.adding IS NOT NULL AS adds
WITH dataset, load, adds, COUNT {
       MATCH (other:Source {dataset: $storage}) WHERE other.name IS NOT NULL AND other.load = number
     } AS others,
     COUNT { MATCH (node:Node {dataset: $storage}) WHERE node.key IS NOT NULL AND NOT (node:Pending AND adds) } AS nodes,
     COLLECT { MATCH (s:Source {dataset: $storage}) WHERE s.name IS NOT NULL AND NOT (s:Pending AND adds) RETURN s.facts } AS facts,
     COLLECT { MATCH (s:Source {dataset: $storage}) WHERE s.name IS NOT NULL AND NOT (s:Pending AND adds) RETURN DISTINCT s.kind } AS kinds,
     COUNT {
       MATCH (node:Node {dataset: $storage}) WHERE node.key IS NOT NULL AND node.embedding IS NOT NULL
     } + COUNT {
       MATCH (alias:Alias {dataset: $storage}) WHERE alias.folded IS NOT NULL AND alias.embedding IS NOT NULL
     } AS embedded,
     COUNT { MATCH (l:Load {dataset: $dataset}) WHERE l.number <> number AND l.state <> 'complete' } AS unfinished
SET dataset.nodes = nodes, dataset.embedded = embedded, dataset.facts = reduce(sum = 0, f IN facts | sum + f),
    dataset.kind = CASE size(kinds) WHEN 0 THEN dataset.kind WHEN 1 THEN kinds[0] ELSE 'mixed' END,
    dataset.complete = unfinished = 0 OR adds,
    dataset.state = CASE WHEN unfinished = 0 OR adds THEN 'complete' ELSE 'loading' END,
    load.state = 'complete'
FOREACH (empty IN CASE WHEN others = 0 AND load IS NOT NULL THEN [load] ELSE [] END | DELETE empty)
RETURN dataset.nodes AS nodes
