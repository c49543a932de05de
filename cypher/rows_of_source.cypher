// All rows of the tables whose keys begin so, with their positions.
// $datasets: list of text
// $prefix: text, the source and what parts it from the position
UNWIND $datasets AS dataset
MATCH (row:Node)
WHERE row.dataset = dataset AND row.key STARTS WITH $prefix AND row:Row
RETURN collect([id(row), row.position]) AS rows
