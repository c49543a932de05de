// The rows that stand a number of rows below the given ones, each with the one it belongs to.
// $nodes: list of node ids
// $by: whole number, negative for rows above
// $between: text, what parts source and position in the key of a row
MATCH (row:Row)
WHERE id(row) IN $nodes
MATCH (other:Node {dataset: row.dataset, key: row.source + $between + toString(row.position + $by)})
RETURN collect([id(row), id(other)]) AS rows
