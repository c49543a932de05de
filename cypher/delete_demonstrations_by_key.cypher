// Delete demonstrations that are detached from their patterns.
// $dataset: text
// $keys: list of text
UNWIND $keys AS key
MATCH (demonstration:Demonstration {dataset: $dataset, key: key})
DETACH DELETE demonstration
