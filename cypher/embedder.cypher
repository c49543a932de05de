// The model whose vectors the database holds, the kinds of their indexes, and the datasets that have some.
OPTIONAL MATCH (schema:Schema {name: 'trustuqa'})
RETURN schema.embedder AS embedder, schema.vector_index AS index,
       schema.pattern_index AS pattern_index, COLLECT {
  MATCH (dataset:Dataset) WHERE dataset.embedding_model IS NOT NULL RETURN dataset.name ORDER BY dataset.name
} AS datasets
