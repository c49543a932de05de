// Return the rows of tables that have one of the given cells.
// $datasets: list of stored datasets
// $nodes: list of node ids
// $source: text, or null for any source
WITH COLLECT {
  UNWIND $datasets AS dataset
  MATCH (:Source {dataset: dataset, name: $source})-[has:HAS]->()
  RETURN has.number
} AS numbers
MATCH (row:Row)-[fact:FACT]->(cell)
WHERE id(cell) IN $nodes AND ($source IS NULL OR fact.number IN numbers)
RETURN collect(DISTINCT id(row)) AS rows
