// Return the embedding model of the database, the kinds of its vector indexes, and the datasets with vectors.
OPTIONAL MATCH (schema:Schema {name: 'trustuqa'})
RETURN schema.embedder AS embedder, schema.vector_index AS index,
       schema.pattern_index AS pattern_index, COLLECT {
  MATCH (dataset:Dataset) WHERE dataset.embedding_model IS NOT NULL RETURN dataset.name ORDER BY dataset.name
} AS datasets
