// Count the nodes of a dataset by their outgoing relations, incoming relations and classes.
// $dataset: stored dataset
// $sources: list of text, sources whose facts count, or null for all
// $types: list of the relations that lead to classes
WITH CASE WHEN $sources IS NOT NULL THEN COLLECT {
  UNWIND $sources AS source
  MATCH (:Source {dataset: $dataset, name: source})-[has:HAS]->()
  RETURN has.number
} END AS numbers
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // uses the index
WITH node, COLLECT {
       MATCH (node)-[fact:FACT]->() WHERE numbers IS NULL OR fact.number IN numbers
       RETURN DISTINCT fact.relation AS name ORDER BY name
     } AS starts, COLLECT {
       MATCH (node)<-[fact:FACT]-() WHERE numbers IS NULL OR fact.number IN numbers
       RETURN DISTINCT fact.relation AS name ORDER BY name
     } AS ends, COLLECT {
       MATCH (node)-[fact:FACT]->(class) WHERE fact.relation IN $types AND class.name IS NOT NULL
       RETURN DISTINCT class.name AS name ORDER BY name
     } AS classes
WHERE size(starts) + size(ends) > 0
RETURN starts, ends, classes, node:Entity AND NOT node:Name AS nameless, count(*) AS nodes
