// Find the nodes that have a name or alias; in a table, also the columns with such a cell.
// $datasets: list of text
// $names: list of folded names
// $source: text, or null for any source
// $columns: list of relation names, the columns of the source where it is a table
UNWIND $datasets AS dataset
UNWIND $names AS folded
CALL (dataset, folded) {
  MATCH (node:Node {dataset: dataset, folded: folded})
  RETURN node
  UNION
  MATCH (:Alias {dataset: dataset, folded: folded})-[:OF]->(node)
  RETURN node
}
CALL (node) {
  MATCH (node)<-[fact:FACT]-()
  WHERE node.hub IS NULL AND size($columns) > 0 AND fact.source = $source
  RETURN DISTINCT fact.relation AS column
  UNION
  UNWIND $columns AS column
  CALL (node, column) {
    MATCH ()-[fact:FACT]->(tail)
    USING INDEX SEEK fact:FACT(tail, relation, source)
    WHERE node.hub IS NOT NULL AND fact.tail = node.hub AND fact.relation = column AND fact.source = $source
      AND id(tail) = id(node)
    RETURN fact LIMIT 1
  }
  RETURN column
  UNION
  WITH node WHERE size($columns) = 0
  RETURN null AS column
}
RETURN dataset, folded, collect(DISTINCT coalesce(node.name, node.key)) AS names, collect(DISTINCT column) AS columns
