// List the heads of all facts of the datasets, or of one source, without the nodes of qualified facts.
// $datasets: list of stored datasets
// $source: text, or null for any source
UNWIND $datasets AS dataset
MATCH (source:Source {dataset: dataset})
WHERE source.name IS NOT NULL AND ($source IS NULL OR source.name = $source)
MATCH (source)-[has:HAS]->()
WITH has.number AS number
MATCH (head)-[fact:FACT]->()
WHERE fact.number = number AND NOT head:Hyperedge
RETURN collect(DISTINCT id(head)) AS heads
