// Find the values that are the lowest or highest number, or the earliest or latest date, of a column of a table.
// $dataset: stored dataset
// $source: text
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->()
UNWIND [has.lowest, has.highest] AS number
MATCH (node:Node {dataset: $dataset, number: number})
RETURN collect(DISTINCT id(node)) AS nodes
UNION ALL
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->()
UNWIND [has.earliest, has.latest] AS day
MATCH (node:Node {dataset: $dataset, date_start: day})
RETURN collect(DISTINCT id(node)) AS nodes
