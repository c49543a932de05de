// Delete demonstrations that belong to no pattern any more.
// $dataset: text
// $keys: list of text
UNWIND $keys AS key
MATCH (demonstration:Demonstration {dataset: $dataset, key: key})
DETACH DELETE demonstration
