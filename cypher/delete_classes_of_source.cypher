// Delete the class declarations of a source, and the nodes of classes that then have neither a fact nor a declaration.
// $dataset: text
// $source: text
// $declaring: list of text, other sources with class declarations
MATCH (class:Class {dataset: $dataset, source: $source})
WHERE class.name IS NOT NULL // uses the index
CALL (class) {
  OPTIONAL MATCH (node:Node {dataset: $dataset, folded: class.folded})
  WHERE node.name = class.name AND NOT EXISTS { (node)-[:FACT]-() } AND NOT EXISTS {
    UNWIND $declaring AS source
    MATCH (declared:Class {dataset: $dataset, source: source, name: class.name})
    RETURN declared
  }
  OPTIONAL MATCH (node)<-[:OF]-(alias:Alias)
  DETACH DELETE alias
  DETACH DELETE node
  WITH DISTINCT class
  DETACH DELETE class
} IN TRANSACTIONS OF 10000 ROWS
