// Describe columns of a table: the number of their facts, cells and rows, and the number of values.
// $dataset: stored dataset
// $source: text
// $relations: list of relation names
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name IN $relations
WITH relation.name AS relation, has.number AS number, has.numbers AS numbers
MATCH (row)-[fact:FACT]->()
WHERE fact.number = number
RETURN relation, number, count(*) AS cells, count(DISTINCT row) AS rows, numbers
