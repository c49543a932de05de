// Find all facts of the relations, up to a limit: both ends, and the ids of equal facts.
// $datasets: list of text
// $relations: list of relation names
// $source: text, or null for any source
// $limit: whole number
UNWIND $datasets AS dataset
UNWIND $relations AS name
MATCH (:Relation {dataset: dataset, name: name})<-[:HAS]-(source:Source)
WHERE $source IS NULL OR source.name = $source
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.dataset = dataset AND fact.source = source.name AND fact.relation = name
WITH head, tail, fact LIMIT $limit
WITH head, tail, fact.relation AS relation, fact.start AS start, fact.end AS end, collect(id(fact)) AS facts
RETURN collect(id(head)) AS heads, collect(id(tail)) AS tails, collect(facts) AS facts
