// Record the kind of the vector index of patterns, which stays when the server is upgraded.
// $kind: by dataset, or alone
MATCH (schema:Schema {name: 'trustuqa'})
SET schema.pattern_index = coalesce(schema.pattern_index, $kind)
