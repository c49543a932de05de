// List those of the labels that nodes have and no dataset has recorded: nodes of other programs have them.
// $labels: list of text
CALL db.labels() YIELD label
WHERE label IN $labels
  AND NOT EXISTS { MATCH (dataset:Dataset) WHERE label IN dataset.class_labels }
RETURN label
