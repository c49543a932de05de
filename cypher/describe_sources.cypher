// Describe the sources of a dataset, tables first, with the catalog entries of their relations.
// $dataset: stored dataset
// $sources: list of text, or null for all
CALL () {
  UNWIND CASE WHEN $sources IS NULL THEN [$dataset] END AS dataset
  MATCH (source:Source {dataset: dataset})
  WHERE source.name IS NOT NULL // uses the index
  RETURN source
  UNION ALL
  UNWIND $sources AS name
  WITH DISTINCT name
  MATCH (source:Source {dataset: $dataset, name: name})
  RETURN source
}
WITH source ORDER BY source.kind <> 'table', source.load, source.name
RETURN source.name AS name, source.kind AS kind, source.files AS files, source.facts AS facts,
       source.readings AS readings, COLLECT {
         MATCH (source)-[has:HAS]->(relation)
         RETURN has {.*, relation: relation.name}
       } AS relations
