// Record the embedding model of the database, unless there is one; return the recorded one.
// $identity: text, the model
// $dimension: whole number, length of the vectors
MERGE (schema:Schema {name: 'trustuqa'})
SET schema.embedder = coalesce(schema.embedder, $identity), schema.dimension = coalesce(schema.dimension, $dimension)
RETURN schema.embedder AS embedder, schema.dimension AS dimension
