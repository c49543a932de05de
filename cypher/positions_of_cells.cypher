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
  WITH collect(position) AS positions
  UNWIND range(0, size(positions) - 1) AS place
  RETURN positions[place] AS position, place < $each AS is_first
}
// Positions alone, since the memory of a list counts for each row that has it.
WITH position, count(*) AS matches, sum(toInteger(node IN $named)) AS named, max(toInteger(is_first)) AS first
ORDER BY named DESC, matches DESC, position
RETURN collect(CASE WHEN first = 1 THEN position END) +
  collect(CASE WHEN matches > 1 THEN position END)[..$limit] AS positions
