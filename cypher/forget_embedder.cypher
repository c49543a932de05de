// No model's vectors are held any more, unless a dataset has some.
MATCH (schema:Schema {name: 'trustuqa'})
WHERE NOT EXISTS { MATCH (dataset:Dataset) WHERE dataset.embedding_model IS NOT NULL }
SET schema.embedder = null, schema.dimension = null, schema.vector_index = null, schema.pattern_index = null
RETURN schema.name AS name
