// Find the meanings of names: datasets, relations with their statistics, and nodes by folded name, alias or key; and the facts of first steps.
// $datasets: list of stored datasets
// $public: map of stored datasets to their names
// $source: text, or null
// $relations: list of folded names
// $names: list of folded names
// $keys: list of names as written
// $steps: list of [statement, folded name, folded relation], facts that are read if one node, no hub, and one relation have these names
UNWIND $datasets AS stored
MATCH (dataset:Dataset {name: $public[stored]})
WITH stored, dataset, CASE // the only source, if it is a table, is the source that is asked
       WHEN $source IS NOT NULL THEN COLLECT { MATCH (source:Source {dataset: stored, name: $source}) RETURN source }
       WHEN size($datasets) = 1 THEN COLLECT {
         MATCH (source:Source {dataset: stored}) WHERE source.name IS NOT NULL // uses the index
         RETURN source LIMIT 2
       }
       ELSE [] END AS sources
WITH stored, dataset, CASE WHEN size(sources) = 1 AND ($source IS NOT NULL OR sources[0].kind = 'table')
       THEN sources[0] END AS source
RETURN 'dataset' AS what, dataset.name AS name, CASE WHEN dataset.complete THEN 'complete' END AS folded, null AS id,
       {source: source.name, kind: source.kind, embedded: coalesce(dataset.embedded, 0),
        vocabulary: COLLECT { MATCH (vocabulary:Vocabulary {dataset: stored}) RETURN vocabulary.stamp }[0],
        version: [coalesce(dataset.storage, dataset.name), dataset.adding, toString(dataset.loaded)]} AS known
UNION ALL
UNWIND $datasets AS dataset
UNWIND $relations AS folded
MATCH (relation:Relation {dataset: dataset, folded: folded})<-[has:HAS]-(source)
WHERE $source IS NULL OR source.name = $source
WITH dataset, folded, relation, sum(has.facts) AS facts, sum(has.numbers) AS numbers, sum(has.dates) AS dates,
     sum(has.held) AS held, collect(has.qualifiers) AS qualifiers, collect(DISTINCT source.kind = 'table') AS tables,
     min(has.places[0]) AS place
RETURN 'relation' AS what, relation.name AS name, folded, null AS id,
       {facts: facts, numbers: numbers, dates: dates, held: held, qualifiers: qualifiers, tables: tables,
        place: place} AS known
UNION ALL
UNWIND $datasets AS dataset
WITH dataset, CASE
       WHEN $source IS NOT NULL THEN COLLECT { MATCH (source:Source {dataset: dataset, name: $source}) RETURN source }
       WHEN size($datasets) = 1 THEN COLLECT {
         MATCH (source:Source {dataset: dataset}) WHERE source.name IS NOT NULL // uses the index
         RETURN source LIMIT 2
       }
       ELSE [] END AS sources
WHERE size(sources) = 1
UNWIND sources AS source
MATCH (source)-[has:HAS]->(relation)
WHERE source.kind = 'table' AND NOT relation.folded IN $relations
RETURN 'column' AS what, relation.name AS name, relation.folded AS folded, null AS id,
       {facts: has.facts, numbers: has.numbers, dates: has.dates, held: has.held, qualifiers: [], tables: [true],
        place: has.places[0]} AS known
UNION ALL
UNWIND $datasets AS dataset
UNWIND $names AS folded
MATCH (node:Node {dataset: dataset, folded: folded})
RETURN CASE WHEN node:Entity AND NOT node:Name THEN 'key' ELSE 'node' END AS what, node.name AS name, folded, id(node) AS id, null AS known
UNION ALL
UNWIND $datasets AS dataset
UNWIND $names AS folded
MATCH (alias:Alias {dataset: dataset, folded: folded})
MATCH (alias)-[:OF]->(node)
RETURN 'alias' AS what, coalesce(node.name, node.key) AS name, folded, id(node) AS id, null AS known
UNION ALL
UNWIND $datasets AS dataset
UNWIND $keys AS key
MATCH (node:Node {dataset: dataset, key: key})
WHERE node.name IS NULL OR node.name <> key
RETURN 'key' AS what, key AS name, null AS folded, id(node) AS id, null AS known
UNION ALL
UNWIND CASE size($datasets) WHEN 1 THEN $steps ELSE [] END AS step
CALL (step) {
  MATCH (relation:Relation {dataset: $datasets[0], folded: step[2]})
  RETURN collect(relation.name) AS names
}
CALL (step) {
  MATCH (node:Node {dataset: $datasets[0], folded: step[1]})
  RETURN collect(node) AS nodes
}
WITH step, names[0] AS name, nodes[0] AS node
WHERE size(names) = 1 AND size(nodes) = 1 AND node.hub IS NULL
WITH step, name, node, COLLECT {
       MATCH (:Source {dataset: $datasets[0], name: $source})-[has:HAS]->(relation)
       WHERE relation.name = name
       RETURN has.number
     } AS numbers
CALL (step, name, node, numbers) {
  MATCH (node)-[fact:FACT]->(tail)
  WHERE step[0] = 'facts_from_heads' AND fact.relation = name AND ($source IS NULL OR fact.number IN numbers)
  RETURN node AS head, tail, fact
  UNION ALL
  MATCH (head)-[fact:FACT]->(node)
  WHERE step[0] = 'facts_to_tails' AND fact.relation = name AND ($source IS NULL OR fact.number IN numbers)
  RETURN head, node AS tail, fact
}
WITH step, name, node, head, tail, fact.start AS start, fact.end AS end, collect(id(fact)) AS facts,
     count(fact.hyperedge) AS qualified
WITH step, name, node, collect(id(head)) AS heads, collect(id(tail)) AS tails, collect(facts) AS facts,
     collect(CASE WHEN qualified > 0 AND size(facts) > 1 THEN facts[0] END) AS qualified
RETURN 'facts' AS what, name, null AS folded, id(node) AS id,
       {step: step, heads: heads, tails: tails, facts: facts, qualified: qualified} AS known
