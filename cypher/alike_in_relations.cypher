// How many nodes of a dataset have the same relations out of them and into them and are of the same classes.
// $dataset: text
// $sources: list of text whose facts count, or null for all
// $types: list of the relations that lead to classes
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // all have one: named so that the index is used
WITH node, COLLECT {
       MATCH (node)-[fact:FACT]->() WHERE $sources IS NULL OR fact.source IN $sources
       RETURN DISTINCT fact.relation AS name ORDER BY name
     } AS starts, COLLECT {
       MATCH (node)<-[fact:FACT]-() WHERE $sources IS NULL OR fact.source IN $sources
       RETURN DISTINCT fact.relation AS name ORDER BY name
     } AS ends, COLLECT {
       MATCH (node)-[fact:FACT]->(class) WHERE fact.relation IN $types AND class.name IS NOT NULL
       RETURN DISTINCT class.name AS name ORDER BY name
     } AS classes
WHERE size(starts) + size(ends) > 0
RETURN starts, ends, classes, node.name IS NULL AS nameless, count(*) AS nodes
