// List all datasets with their sources, by name.
MATCH (dataset:Dataset)
OPTIONAL MATCH (source:Source {dataset: dataset.name})
WHERE source.name IS NOT NULL // uses the index
WITH dataset, source ORDER BY source.name
WITH dataset, collect(source {.name, .kind, .files, .facts}) AS sources
RETURN dataset.name AS name, dataset.kind AS kind, dataset.complete AS complete, dataset.nodes AS nodes,
       dataset.facts AS facts, COUNT {
         MATCH (relation:Relation {dataset: dataset.name}) WHERE relation.name IS NOT NULL
       } AS relations,
       coalesce(dataset.embedded, 0) AS embedded,
       dataset.embedding_model AS embedding_model, toString(dataset.loaded) AS loaded, sources
ORDER BY name
