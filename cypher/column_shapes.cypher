// Describe columns of a table: the number of their facts, cells and rows, the last row, and the number of values.
// $dataset: text
// $source: text
// $relations: list of relation names
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name IN $relations
WITH relation.name AS relation, has.number AS number, has.facts AS facts, has.numbers AS numbers
MATCH (row)-[fact:FACT]->()
WHERE fact.number = number
RETURN relation, number, count(*) AS cells, count(DISTINCT row) AS rows, max(row.position) AS last, numbers
