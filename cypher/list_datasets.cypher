// List all datasets with their sources, by name.
MATCH (dataset:Dataset)
WHERE dataset.version_of IS NULL
WITH dataset, coalesce(dataset.storage, dataset.name) AS stored
OPTIONAL MATCH (source:Source {dataset: stored})
WHERE source.name IS NOT NULL // uses the index
  AND NOT (source:Pending AND dataset.adding IS NOT NULL)
WITH dataset, stored, source ORDER BY source.name
WITH dataset, stored, collect(source {.name, .kind, .files, .facts}) AS sources
RETURN dataset.name AS name, dataset.kind AS kind, dataset.complete AS complete, dataset.nodes AS nodes,
       dataset.facts AS facts, COUNT {
         MATCH (relation:Relation {dataset: stored}) WHERE relation.name IS NOT NULL
           AND NOT (relation:Pending AND dataset.adding IS NOT NULL)
       } AS relations,
       coalesce(dataset.embedded, 0) AS embedded, dataset.embeddable AS embeddable,
       dataset.embedding_error AS embedding_error,
       dataset.embedding_model AS embedding_model, toString(dataset.loaded) AS loaded, sources
ORDER BY name
