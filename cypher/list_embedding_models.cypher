// List the embedding models by their numbers, with the kinds of their vector indexes and the datasets that use them.
MATCH (model:Schema|EmbeddingModel)
RETURN coalesce(model.number, 0) AS number, model.embedder AS identity, model.dimension AS dimension,
       model.vector_index AS name_index, model.pattern_index AS pattern_index, COLLECT {
         MATCH (dataset:Dataset) WHERE dataset.embedding_model = model.embedder RETURN dataset.name ORDER BY dataset.name
       } AS datasets
ORDER BY number
