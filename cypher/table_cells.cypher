// List the cells of each column of a table with the positions of their rows and their values.
// $dataset: text
// $source: text
// $columns: list of relation names
UNWIND $columns AS column
MATCH (row)-[fact:FACT]->(cell)
USING INDEX SEEK fact:FACT(dataset, source, relation)
WHERE fact.dataset = $dataset AND fact.source = $source AND fact.relation = column AND row:Row
RETURN column, collect([row.position, coalesce(cell.name, cell.key), cell.number, cell.unit,
                        cell.date_start, cell.date_end]) AS cells
