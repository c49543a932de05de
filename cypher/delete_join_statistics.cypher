// Delete the join statistics of a dataset.
// $dataset: text
MATCH (vocabulary:Vocabulary {dataset: $dataset})
DELETE vocabulary
