// Forget an embedding model, unless a dataset uses it.
// $number: whole number
MATCH (model:Schema|EmbeddingModel)
WHERE coalesce(model.number, 0) = $number
  AND NOT EXISTS { MATCH (dataset:Dataset) WHERE dataset.embedding_model = model.embedder }
SET model.embedder = null, model.dimension = null, model.vector_index = null, model.pattern_index = null
