// Forget the embedding model, unless a dataset has vectors of it.
MATCH (schema:Schema {name: 'trustuqa'})
WHERE NOT EXISTS { MATCH (dataset:Dataset) WHERE dataset.embedding_model IS NOT NULL }
SET schema.embedder = null, schema.dimension = null, schema.vector_index = null, schema.pattern_index = null
RETURN schema.name AS name
