// Return the rows at a distance from the given rows, each paired with its given row.
// $nodes: list of node ids
// $by: whole number, rows below; negative for rows above
// $between: text, separator of source and position in the key of a row
MATCH (row:Row)
WHERE id(row) IN $nodes
MATCH (other:Node {dataset: row.dataset, key: row.source + $between + toString(row.position + $by)})
RETURN collect([id(row), id(other)]) AS rows
