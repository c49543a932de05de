// Find rows of a table that hold some cells, by position: a few of each cell, and those that hold several.
// $dataset: stored dataset
// $named: list of node ids of cells that the question has
// $others: list of node ids of similar and extreme cells; of rows with several cells, those with named ones come first
// $source: text
// $scanned: whole number, rows of a cell to read
// $each: whole number, rows of each cell to return
// $limit: whole number, rows with several cells to return
WITH COLLECT {
  MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->() RETURN has.number
} AS numbers
UNWIND $named + $others AS node
CALL (node, numbers) {
  MATCH (row:Row)-[fact:FACT]->(cell)
  WHERE id(cell) = node AND fact.number IN numbers
  WITH row.position AS position LIMIT $scanned
  RETURN collect(position) AS positions
}
WITH collect({positions: positions, is_named: node IN $named}) AS cells
CALL (cells) {
  UNWIND cells AS cell
  UNWIND cell.positions[..$each] AS position
  RETURN position
  UNION
  UNWIND cells AS cell
  UNWIND cell.positions AS position
  WITH position, count(*) AS matches, sum(toInteger(cell.is_named)) AS named WHERE matches > 1
  RETURN position ORDER BY named DESC, matches DESC, position LIMIT $limit
}
RETURN collect(position) AS positions
