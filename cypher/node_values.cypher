// Return names (or keys), numbers, dates and positions of nodes as columns, with false for what a node does not have.
// $nodes: list of node ids
UNWIND $nodes AS id
MATCH (node) WHERE id(node) = id
RETURN collect(id) AS ids, collect(coalesce(node.name, node.key)) AS names,
       collect(coalesce(node.number, false)) AS numbers, collect(coalesce(node.unit, false)) AS units,
       collect(coalesce(node.date_start, false)) AS starts, collect(coalesce(node.date_end, false)) AS ends,
       collect(coalesce(node.position, false)) AS positions
