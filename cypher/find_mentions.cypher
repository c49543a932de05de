// Find the nodes that have a name or alias, and whether they are cells of a table.
// $datasets: list of stored datasets
// $public: map of stored datasets to their names
// $names: list of folded names
// $source: text, or null for any source
// $columns: list of relation names, the columns of the source where it is a table
UNWIND $datasets AS dataset
WITH dataset, COLLECT {
       MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->() RETURN has.number
     } AS numbers
UNWIND $names AS folded
CALL (dataset, folded) {
  MATCH (node:Node {dataset: dataset, folded: folded})
  RETURN node
  UNION
  MATCH (:Alias {dataset: dataset, folded: folded})-[:OF]->(node)
  RETURN node
}
WITH dataset, folded, node, numbers,
     CASE
       WHEN size($columns) = 0 THEN true
       WHEN node.hub IS NULL THEN EXISTS { MATCH (node)<-[fact:FACT]-() WHERE fact.number IN numbers }
       ELSE any(column IN $columns WHERE EXISTS {
         MATCH ()-[fact:FACT]->(tail)
         USING INDEX SEEK fact:FACT(tail, relation, number)
         WHERE fact.tail = node.hub AND fact.relation = column AND fact.number IN numbers AND id(tail) = id(node)
       })
     END AS has_fact
RETURN $public[dataset] AS dataset, folded, max(has_fact) AS has_fact
