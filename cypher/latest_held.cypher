// The latest day that a fact of the datasets is known to have begun or ended.
// $datasets: list of text
UNWIND $datasets AS dataset
MATCH (source:Source {dataset: dataset})-[has:HAS]->()
WHERE source.name IS NOT NULL // all have one: named so that the index is used
RETURN max(has.last) AS last
