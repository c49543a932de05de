// Add up the cells of rows in a column of a table: cells, numbers, their sum, the numbers of units and values, the rows.
// $nodes: list of node ids
// $dataset: stored dataset
// $source: text
// $relation: relation name
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name = $relation
WITH has.number AS number
UNWIND $nodes AS node
MATCH (row)-[fact:FACT]->(cell)
WHERE id(row) = node AND fact.number = number
RETURN count(*) AS cells, count(cell.number) AS numbers, sum(cell.number) AS total, count(DISTINCT cell.unit) AS units,
       count(DISTINCT cell) AS values, collect(id(row)) AS heads
