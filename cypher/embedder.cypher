// The model whose vectors the database holds, the kind of their index, and the datasets that have some.
OPTIONAL MATCH (schema:Schema {name: 'trustuqa'})
RETURN schema.embedder AS embedder, schema.vector_index AS index, COLLECT {
  MATCH (dataset:Dataset) WHERE dataset.embedding_model IS NOT NULL RETURN dataset.name ORDER BY dataset.name
} AS datasets
