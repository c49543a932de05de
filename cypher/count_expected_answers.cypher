// Count the expected answers of demonstrations that have any.
// $datasets: list of text
// $keys: list of text, the keys of demonstrations
UNWIND $datasets AS dataset
UNWIND $keys AS key
MATCH (demonstration:Demonstration {dataset: dataset, key: key})
WHERE demonstration.answers IS NOT NULL
RETURN dataset, key, size(demonstration.answers) AS labels
