// Find rows of a table that hold some cells, by position: a few of each cell, and those that hold several.
// $dataset: stored dataset
// $nodes: list of node ids
// $source: text
// $scanned: whole number, rows of a cell to read
// $each: whole number, rows of each cell to return
// $limit: whole number, rows with several cells to return
WITH COLLECT {
  MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->() RETURN has.number
} AS numbers
UNWIND $nodes AS node
CALL (node, numbers) {
  MATCH (row:Row)-[fact:FACT]->(cell)
  WHERE id(cell) = node AND fact.number IN numbers
  WITH row.position AS position LIMIT $scanned
  RETURN collect(position) AS positions
}
WITH collect(positions) AS cells
CALL (cells) {
  UNWIND cells AS positions
  UNWIND positions[..$each] AS position
  RETURN position
  UNION
  UNWIND cells AS positions
  UNWIND positions AS position
  WITH position, count(*) AS matches WHERE matches > 1
  RETURN position ORDER BY matches DESC LIMIT $limit
}
RETURN collect(position) AS positions
