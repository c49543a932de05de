// Find facts of the relations to names with a text, and to names too long to tell, with the columns of facts_from_heads.
// $datasets: list of stored datasets
// $relations: list of relation names
// $source: text, or null for any source
// $operator: 'contains', 'starts with' or 'ends with'
// $texts: list of normalized texts
// $cut: whole number, length from which a normalized name may be cut
// $limit: whole number
UNWIND $datasets AS dataset
UNWIND $relations AS name
MATCH (:Relation {dataset: dataset, name: name})<-[has:HAS]-(source)
WHERE $source IS NULL OR source.name = $source
WITH has.number AS number
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number
  AND (size(tail.folded) >= $cut OR any(text IN $texts WHERE CASE $operator
         WHEN 'contains' THEN tail.folded CONTAINS text
         WHEN 'starts with' THEN tail.folded STARTS WITH text
         ELSE tail.folded ENDS WITH text END))
WITH head, tail, fact LIMIT $limit
WITH head, tail, fact.relation AS relation, fact.start AS start, fact.end AS end, collect(id(fact)) AS facts,
     count(fact.hyperedge) AS qualified
RETURN collect(id(head)) AS heads, collect(id(tail)) AS tails, collect(facts) AS facts,
       collect(CASE WHEN qualified > 0 AND size(facts) > 1 THEN facts[0] END) AS qualified
