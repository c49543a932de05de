// Record the kind of the vector index of names, which stays when the server is upgraded.
// $kind: by dataset, or alone
MATCH (schema:Schema {name: 'trustuqa'})
SET schema.vector_index = coalesce(schema.vector_index, $kind)
