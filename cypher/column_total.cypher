// Add up the numbers in a column of a table: cells, numbers, their sum, and the number of units.
// $dataset: stored dataset
// $source: text
// $relation: relation name
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name = $relation
WITH has.number AS number
MATCH ()-[fact:FACT]->(cell)
WHERE fact.number = number
RETURN count(*) AS cells, count(cell.number) AS numbers, sum(cell.number) AS total, count(DISTINCT cell.unit) AS units
