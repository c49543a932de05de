// Replace the names of dataset and source on facts of an older schema version by their number, up to a limit.
// $dataset: text
// $limit: whole number
MATCH (source:Source {dataset: $dataset})-[has:HAS]->(relation)
WHERE source.name IS NOT NULL // uses the index
WITH source.name AS source, relation.name AS name, has.number AS number
MATCH ()-[fact:FACT]->()
USING INDEX SEEK fact:FACT(dataset, source, relation)
WHERE fact.dataset = $dataset AND fact.source = source AND fact.relation = name
WITH fact, number LIMIT $limit
SET fact.number = number
REMOVE fact.dataset, fact.source
RETURN count(*) AS facts
