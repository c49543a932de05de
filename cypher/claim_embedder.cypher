// The model whose vectors the database holds: this one, unless there is one already.
// $identity: text, tells the model from others
// $dimension: whole number, length of its vectors
MERGE (schema:Schema {name: 'trustuqa'})
SET schema.embedder = coalesce(schema.embedder, $identity), schema.dimension = coalesce(schema.dimension, $dimension)
RETURN schema.embedder AS embedder, schema.dimension AS dimension
