// Return the latest day on which a fact of the datasets began or ended.
// $datasets: list of stored datasets
UNWIND $datasets AS dataset
MATCH (source:Source {dataset: dataset})-[has:HAS]->()
WHERE source.name IS NOT NULL // uses the index
RETURN max(has.last) AS last
