// Count the cells in a column of a table, and their different values.
// $dataset: stored dataset
// $source: text
// $relation: relation name
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name = $relation
WITH has.number AS number
MATCH ()-[fact:FACT]->(cell)
WHERE fact.number = number
RETURN count(*) AS cells, count(DISTINCT cell) AS values
