// Return the rows of tables that have one of the given cells.
// $nodes: list of node ids
// $source: text, or null for any source
MATCH (row:Row)-[fact:FACT]->(cell)
WHERE id(cell) IN $nodes AND ($source IS NULL OR fact.source = $source)
RETURN collect(DISTINCT id(row)) AS rows
