// Record the labels that members of classes in a dataset have.
// $dataset: text
// $labels: list of text
MATCH (dataset:Dataset {name: $dataset})
SET dataset.class_labels = CASE WHEN size($labels) > 0 THEN $labels END
