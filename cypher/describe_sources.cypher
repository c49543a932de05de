// The sources of a dataset, tables first, with what the catalogue knows of each relation in them.
// $dataset: text
// $source: text, or null for all
MATCH (source:Source {dataset: $dataset})
WHERE source.name IS NOT NULL // all have one: named so that the index is used
  AND ($source IS NULL OR source.name = $source)
WITH source ORDER BY source.kind <> 'table', source.load, source.name
RETURN source.name AS name, source.kind AS kind, source.files AS files, source.facts AS facts, COLLECT {
         MATCH (source)-[has:HAS]->(relation)
         RETURN has {.*, relation: relation.name}
       } AS relations
