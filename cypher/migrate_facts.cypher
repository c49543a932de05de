// Replace the names of dataset and source on facts of an older schema version by their number, up to a limit.
// $dataset: text
// $limit: whole number
MATCH (source:Source {dataset: $dataset})-[has:HAS]->(relation)
WHERE source.name IS NOT NULL // uses the index
MATCH ()-[fact:FACT]->()
USING INDEX SEEK fact:FACT(dataset, source, relation)
WHERE fact.dataset = $dataset AND fact.source = source.name AND fact.relation = relation.name
WITH fact, has.number AS number LIMIT $limit
SET fact.number = number
REMOVE fact.dataset, fact.source
RETURN count(*) AS facts
