// Return for each relation of graphs names of heads among its first facts, of the source with the most of them.
// $dataset: stored dataset
// $relations: list of relation names
// $source: text, or null for any source
// $facts: whole number, facts to look at in each relation
// $limit: whole number, names to return of each relation
UNWIND $relations AS name
CALL (name) {
  MATCH (:Relation {dataset: $dataset, name: name})<-[has:HAS]-(source)
  WHERE source.kind <> 'table' AND ($source IS NULL OR source.name = $source)
  RETURN has.number AS number ORDER BY has.facts DESC, number LIMIT 1
}
CALL (number) {
  MATCH (head)-[fact:FACT]->()
  USING INDEX SEEK fact:FACT(number)
  WHERE fact.number = number
  WITH head, fact LIMIT $facts
  WHERE (head:Name OR NOT head:Entity) AND NOT head:Row AND NOT head:Hyperedge AND head.name <> ''
  WITH left(head.name, 100) AS head, min([coalesce(fact.file, 0), fact.line]) AS place ORDER BY place, head LIMIT $limit
  RETURN collect(head) AS heads
}
RETURN name AS relation, heads
