// Find values equal to a number, or with a date inside an interval.
// $datasets: list of stored datasets
// $number: number, or null
// $first: whole number, the first day as year × 10000 + month × 100 + day, or null
// $last: whole number, the last day, or null
UNWIND $datasets AS dataset
MATCH (node:Node)
WHERE node.dataset = dataset AND node.number = $number
RETURN collect(id(node)) AS nodes
UNION ALL
UNWIND $datasets AS dataset
MATCH (node:Node)
WHERE node.dataset = dataset AND node.date_start >= $first AND node.date_start <= $last AND node.date_end <= $last
RETURN collect(id(node)) AS nodes
