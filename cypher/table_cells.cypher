// List the cells of each column of a table with the positions of their rows and their values.
// $dataset: stored dataset
// $source: text
// $columns: list of relation names
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name IN $columns
WITH relation.name AS column, has.number AS number
MATCH (row)-[fact:FACT]->(cell)
USING INDEX SEEK fact:FACT(number)
WHERE fact.number = number AND row:Row
RETURN column, collect([row.position, coalesce(cell.name, cell.key), cell.number, cell.unit,
                        cell.date_start, cell.date_end]) AS cells
