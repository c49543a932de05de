// List the facts of relations of graphs by their heads and by their tails.
// $dataset: stored dataset
// $source: text, or null for any source
// $relations: list of relation names
// $limit: whole number, facts of a relation and source to return
MATCH (source:Source {dataset: $dataset})
WHERE source.name IS NOT NULL AND source.kind <> 'table' AND ($source IS NULL OR source.name = $source)
MATCH (source)-[has:HAS]->(relation:Relation)
WHERE relation.name IN $relations
WITH has.number AS number, relation.name AS relation
CALL (number) {
  MATCH (head)-[fact:FACT]->(tail)
  USING INDEX SEEK fact:FACT(number)
  WHERE fact.number = number AND NOT head:Row AND NOT head:Hyperedge
  RETURN head, fact, tail LIMIT $limit
}
RETURN relation, collect([
  id(head), CASE WHEN head:Name OR NOT head:Entity THEN head.name END,
  id(tail), CASE WHEN tail:Name OR NOT tail:Entity THEN tail.name END,
  fact.start, fact.end, fact.start_text, fact.end_text
]) AS facts
