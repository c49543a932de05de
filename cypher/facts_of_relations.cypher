// Find all facts of the relations, up to a limit: for each relation ends, ids, intervals, and ids of facts with qualifiers.
// $datasets: list of stored datasets
// $relations: list of relation names
// $source: text, or null for any source
// $limit: whole number
UNWIND $datasets AS dataset
UNWIND $relations AS name
MATCH (:Relation {dataset: dataset, name: name})<-[has:HAS]-(source)
WHERE $source IS NULL OR source.name = $source
WITH name, has.number AS number, has.qualifiers IS NOT NULL AS has_qualifiers
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number
WITH name, head, tail, fact, has_qualifiers LIMIT $limit
RETURN name, collect(id(head)) AS heads, collect(id(tail)) AS tails, collect(id(fact)) AS facts,
       collect(CASE WHEN fact.span IS NOT NULL THEN [id(fact), fact.start, fact.end] END) AS intervals,
       collect(CASE WHEN has_qualifiers THEN CASE WHEN fact.hyperedge IS NOT NULL THEN id(fact) END END) AS qualified
