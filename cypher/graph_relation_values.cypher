// List facts of a relation of graphs whose values are numbers or dates, from one end of their order, by source.
// $dataset: stored dataset
// $source: text, or null for any source
// $relation: relation name
// $is_upper: true for the greatest values first, false for the least
// $number: number, or null; only values up to it (from it, for the greatest first)
// $day: day as yyyymmdd, or null; as $number
// $limit: whole number, facts to return
MATCH (source:Source {dataset: $dataset})-[has:HAS]->(relation:Relation)
WHERE source.name IS NOT NULL AND source.kind <> 'table' AND ($source IS NULL OR source.name = $source) AND relation.name = $relation
WITH has.number AS number
CALL (number) {
  MATCH (head)-[fact:FACT]->(tail)
  USING INDEX SEEK fact:FACT(number)
  WHERE fact.number = number AND NOT head:Row AND NOT head:Hyperedge
  WITH head, fact, tail, coalesce(tail.date_start, tail.number) AS value
  WHERE value IS NOT NULL AND (($number IS NULL AND $day IS NULL) OR CASE
    WHEN $is_upper THEN coalesce(tail.number >= $number, false) OR coalesce(tail.date_start >= $day, false)
    ELSE coalesce(tail.number <= $number, false) OR coalesce(tail.date_start <= $day, false) END)
  RETURN head, fact, tail, value ORDER BY CASE WHEN $is_upper THEN -value ELSE value END LIMIT $limit
}
WITH head, fact, tail, value ORDER BY CASE WHEN $is_upper THEN -value ELSE value END LIMIT $limit
RETURN $relation AS relation, collect([
  id(head), CASE WHEN head:Name OR NOT head:Entity THEN head.name END,
  id(tail), CASE WHEN tail:Name OR NOT tail:Entity THEN tail.name END,
  fact.start, fact.end, fact.start_text, fact.end_text
]) AS facts
