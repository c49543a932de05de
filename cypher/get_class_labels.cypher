// Return the labels that members of classes in a dataset have.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
RETURN coalesce(dataset.class_labels, []) AS labels
