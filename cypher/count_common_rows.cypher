// Count the pairs of cells that two columns of a table have in common rows.
// $first: whole number, the number of the facts of a column
// $second: whole number, the number of the facts of another column
MATCH (row)-[fact:FACT]->(), (row)-[other:FACT]->()
USING INDEX fact:FACT(number)
USING INDEX other:FACT(number)
USING JOIN ON row
WHERE fact.number = $first AND other.number = $second
RETURN count(*) AS pairs
