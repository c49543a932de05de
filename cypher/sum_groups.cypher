// Add up the numbers in one column by the node in another, in columns: nodes, numbers of rows, sums, numbers, units of one node.
// $by: whole number, the number of the facts of the column that groups
// $value: whole number, the number of the facts of the other column
MATCH (row)-[fact:FACT]->(cell), (row)-[other:FACT]->(value)
USING INDEX fact:FACT(number)
USING INDEX other:FACT(number)
USING JOIN ON row
WHERE fact.number = $by AND other.number = $value
WITH id(cell) AS key, count(*) AS rows, sum(value.number) AS total, count(value.number) AS numbers,
     count(DISTINCT value.unit) AS units, min(value.unit) AS unit
RETURN collect(key) AS keys, collect(rows) AS rows, collect(total) AS totals, collect(numbers) AS numbers,
       max(units) AS units, collect(DISTINCT unit) AS names
