// Count the rows of a table by the node in one column, in columns: nodes, numbers of rows, positions of first rows.
// $by: whole number, the number of the column's facts
MATCH (row)-[fact:FACT]->(cell)
WHERE fact.number = $by
WITH id(cell) AS key, count(*) AS rows, min(row.position) AS first
RETURN collect(key) AS keys, collect(rows) AS rows, collect(first) AS firsts
