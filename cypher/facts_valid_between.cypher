// Find facts of the relations that are valid at some time between two days, with the columns of facts_from_heads.
// $datasets: list of stored datasets
// $relations: list of relation names
// $source: text, or null for any source
// $first: whole number, the first day as year × 10000 + month × 100 + day
// $last: whole number, the last day
UNWIND $datasets AS dataset
UNWIND $relations AS name
MATCH (:Relation {dataset: dataset, name: name})<-[has:HAS]-(source)
WHERE has.held > 0 AND ($source IS NULL OR source.name = $source)
WITH has.number AS number
UNWIND range(0, 37) AS span
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number AND fact.span = span
  AND fact.start > $first - toInteger(2 ^ span) AND fact.start <= $last
  AND fact.end >= $first
WITH head, tail, fact.relation AS relation, fact.start AS start, fact.end AS end, collect(id(fact)) AS facts,
     count(fact.hyperedge) AS qualified
RETURN collect(id(head)) AS heads, collect(id(tail)) AS tails, collect(facts) AS facts,
       collect(CASE WHEN qualified > 0 AND size(facts) > 1 THEN facts[0] END) AS qualified
