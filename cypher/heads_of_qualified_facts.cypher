// Return the heads of qualified facts among the given nodes.
// $nodes: list of node ids
MATCH (edge:Hyperedge)-[:HEAD]->(head)
WHERE id(edge) IN $nodes
RETURN collect([id(edge), id(head)]) AS heads
