// Describe the sources of a dataset, tables first, with the catalog entries of their relations.
// $dataset: text
// $source: text, or null for all
MATCH (source:Source {dataset: $dataset})
WHERE source.name IS NOT NULL // uses the index
  AND ($source IS NULL OR source.name = $source)
WITH source ORDER BY source.kind <> 'table', source.load, source.name
RETURN source.name AS name, source.kind AS kind, source.files AS files, source.facts AS facts,
       source.readings AS readings, COLLECT {
         MATCH (source)-[has:HAS]->(relation)
         RETURN has {.*, relation: relation.name}
       } AS relations
