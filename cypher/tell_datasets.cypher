// What of a question each dataset knows: spans of it that are names or aliases there, and the names of its relations.
// $datasets: list of text
// $spans: list of folded names
// $limit: whole number, of relations of each dataset
UNWIND $datasets AS name
MATCH (dataset:Dataset {name: name})
WHERE dataset.complete
RETURN name AS dataset, COLLECT {
  UNWIND $spans AS span
  WITH span, name WHERE EXISTS { MATCH (:Node {dataset: name, folded: span}) }
    OR EXISTS { MATCH (:Alias {dataset: name, folded: span}) }
  RETURN span
} AS spans, COLLECT {
  MATCH (relation:Relation {dataset: name}) WHERE relation.name IS NOT NULL
  RETURN relation.folded LIMIT $limit
} AS relations
