// List the relations of datasets, or of one of their sources, most facts first.
// $datasets: list of stored datasets
// $source: text, or null for any source
UNWIND $datasets AS dataset
MATCH (source:Source {dataset: dataset})-[has:HAS]->(relation)
WHERE source.name IS NOT NULL // uses the index
  AND ($source IS NULL OR source.name = $source)
RETURN relation.name AS name, sum(has.facts) AS facts
ORDER BY facts DESC, name
