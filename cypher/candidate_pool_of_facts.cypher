// List nodes with a name that are heads or tails of facts, up to a limit.
// $datasets: list of stored datasets
// $relations: list of relation names; none for all
// $source: text, or null for any source
// $side: tail, head or any
// $limit: whole number
UNWIND $datasets AS dataset
MATCH (source:Source {dataset: dataset})
WHERE source.name IS NOT NULL AND ($source IS NULL OR source.name = $source)
MATCH (source)-[has:HAS]->(relation:Relation)
WHERE size($relations) = 0 OR relation.name IN $relations
WITH has.number AS number
MATCH (head)-[fact:FACT]->(tail)
USING INDEX SEEK fact:FACT(number)
WHERE fact.number = number
UNWIND CASE $side WHEN 'tail' THEN [tail] WHEN 'head' THEN [head] ELSE [head, tail] END AS node
WITH DISTINCT node
WHERE node:Name
WITH node LIMIT $limit
RETURN collect(id(node)) AS nodes
