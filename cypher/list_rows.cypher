// List the rows of a table with their positions, by the prefix of their keys.
// $datasets: list of stored datasets
// $prefix: text, the source and the separator before the position
UNWIND $datasets AS dataset
MATCH (row:Node)
WHERE row.dataset = dataset AND row.key STARTS WITH $prefix AND row:Row
RETURN collect([id(row), row.position]) AS rows
