// That there is an index of vectors, and its kind: a server that is newer by now does not make the index another.
// $kind: by dataset, or alone
MATCH (schema:Schema {name: 'trustuqa'})
SET schema.vector_index = coalesce(schema.vector_index, $kind)
