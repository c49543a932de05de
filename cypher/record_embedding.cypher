// Record which process embeds the names of a dataset, how many will have a vector, and why it failed.
// $dataset: text
// $owner: text, or null if none does
// $names: whole number, or null if all have one
// $error: text, or null
MATCH (dataset:Dataset {name: $dataset})
SET dataset.embedding_owner = $owner, dataset.embedding_touched = datetime(),
    dataset.embeddable = $names, dataset.embedding_error = $error
