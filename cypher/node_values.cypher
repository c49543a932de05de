// Return the names of nodes (or keys without a name), their numbers and dates, and the positions of rows.
// $nodes: list of node ids
MATCH (node)
WHERE id(node) IN $nodes
RETURN collect(id(node)) AS ids, collect(coalesce(node.name, node.key)) AS names,
       collect(CASE WHEN node.number IS NOT NULL OR node.date_start IS NOT NULL
                    THEN [id(node), node.number, node.unit, node.date_start, node.date_end] END) AS values,
       collect(CASE WHEN node.position IS NOT NULL THEN [id(node), node.position] END) AS rows
