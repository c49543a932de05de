// Return those of the nodes that are the head of a fact.
// $nodes: list of node ids
// $relations: list of relation names; none for all
// $source: text, or null for any source
CALL () {
  MATCH (node)
  WHERE id(node) IN $nodes AND node.hub IS NULL AND EXISTS {
    MATCH (node)-[fact:FACT]->()
    WHERE (size($relations) = 0 OR fact.relation IN $relations) AND ($source IS NULL OR fact.source = $source)
  }
  RETURN id(node) AS place
  UNION
  MATCH (hub)
  WHERE id(hub) IN $nodes AND hub.hub IS NOT NULL AND size($relations) = 0 AND EXISTS {
    MATCH (hub)-[fact:FACT]->()
    WHERE $source IS NULL OR fact.source = $source
  }
  RETURN id(hub) AS place
  UNION
  MATCH (hub)
  WHERE id(hub) IN $nodes AND hub.hub IS NOT NULL
  WITH hub.hub AS number, id(hub) AS place
  UNWIND $relations AS relation
  CALL (number, place, relation) {
    MATCH (head)-[fact:FACT]->()
    USING INDEX SEEK fact:FACT(head, relation, source)
    WHERE fact.head = number AND fact.relation = relation AND fact.source IS NOT NULL
      AND ($source IS NULL OR fact.source = $source) AND id(head) = place
    RETURN fact LIMIT 1
  }
  RETURN place
}
RETURN collect(place) AS nodes
