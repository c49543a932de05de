// Delete the statistics of a source's relations, and the relations that no other source has.
// $dataset: text
// $source: text
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation:Relation)
CALL (has, relation) {
  DELETE has
  WITH relation
  WHERE NOT EXISTS { (relation)<-[:HAS]-() }
  DETACH DELETE relation
} IN TRANSACTIONS OF 20000 ROWS
