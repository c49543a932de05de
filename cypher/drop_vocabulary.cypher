// Delete what is known of how a dataset's relations meet.
// $dataset: text
MATCH (vocabulary:Vocabulary {dataset: $dataset})
DELETE vocabulary
