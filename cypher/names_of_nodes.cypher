// Return all names and aliases of nodes, with the similarity of their vectors to one vector.
// $nodes: list of node ids
// $vector: list of numbers, or null
MATCH (node)
WHERE id(node) IN $nodes
CALL (node) {
  RETURN node AS name
  UNION ALL
  MATCH (node)<-[:OF]-(name:Alias)
  RETURN name
}
RETURN collect([id(node), name.name, vector.similarity.cosine(name.embedding, $vector)]) AS names
