// List the nodes of a dataset for a property graph: [id, key, name, classes, source of a row, values by relation].
// $dataset: stored dataset
// $types: list of the relations that lead to classes
MATCH (node:Node {dataset: $dataset})
WHERE node.key IS NOT NULL // uses the index
  AND NOT node:Hyperedge
  AND (EXISTS { MATCH (node)-[:FACT]->() }
       OR NOT node:Value AND NOT EXISTS { MATCH (node)<-[fact:FACT]-() WHERE fact.relation IN $types })
RETURN id(node) AS id, node.key AS key, node.name AS name,
       COLLECT {
         MATCH (node)-[fact:FACT]->(class) WHERE fact.relation IN $types AND class.name IS NOT NULL
         RETURN DISTINCT class.name AS name ORDER BY name
       } AS classes,
       node.source AS source,
       COLLECT {
         MATCH (node)-[fact:FACT]->(value:Value)
         WHERE NOT fact.relation IN $types AND NOT EXISTS { MATCH (value)-[:FACT]->() }
         RETURN DISTINCT [fact.relation, value.name, value.number, value.unit, value.date_start, value.date_end] AS row
         ORDER BY row[0], row[1]
       } AS values
