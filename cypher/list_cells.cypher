// List the distinct cells of columns of a table.
// $dataset: text
// $source: text
// $columns: list of relation names
UNWIND $columns AS column
MATCH ()-[fact:FACT]->(cell)
USING INDEX SEEK fact:FACT(dataset, source, relation)
WHERE fact.dataset = $dataset AND fact.source = $source AND fact.relation = column
RETURN column, collect(DISTINCT coalesce(cell.name, cell.key)) AS cells
