// Record the kind of the vector index of patterns of a model, which stays when the server is upgraded.
// $number: whole number, the number of the model
// $kind: by dataset, or alone
MATCH (model:Schema|EmbeddingModel)
WHERE coalesce(model.number, 0) = $number
SET model.pattern_index = coalesce(model.pattern_index, $kind)
