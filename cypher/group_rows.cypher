// Group the rows of a table by the node in one column, with the sum of the numbers in another.
// $dataset: text
// $source: text
// $relations: list of relation names, the column that groups and the other, if any
// $by: relation name
// $value: relation name, or null
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name IN $relations
WITH relation.name AS relation, has.number AS number
MATCH (row)-[fact:FACT]->(cell)
WHERE fact.number = number
WITH row, collect(CASE relation WHEN $by THEN id(cell) END) AS keys,
     collect(CASE relation WHEN $value THEN cell END) AS cells
WITH row, keys[0] AS key, cells[0] AS cell, size(keys) = 1 AND size(cells) = size($relations) - 1 AS is_plain
RETURN key, count(*) AS rows, min(row.position) AS first, sum(CASE WHEN is_plain THEN 0 ELSE 1 END) AS other_rows,
       sum(cell.number) AS total, count(cell.number) AS numbers, collect(DISTINCT cell.unit) AS units
ORDER BY first
