// Record an embedding model under a number, and that a dataset uses it.
// $number: whole number
// $identity: text, the model
// $dimension: whole number, length of the vectors
// $dataset: text
CALL () {
  MATCH (model:Schema) WHERE $number = 0
  RETURN model
  UNION
  WITH * WHERE $number > 0
  MERGE (model:EmbeddingModel {number: $number})
  RETURN model
}
SET model.embedder = $identity, model.dimension = $dimension
WITH model
MATCH (dataset:Dataset {name: $dataset})
SET dataset.embedding_model = $identity
