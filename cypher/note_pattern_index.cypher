// That there is an index of patterns' vectors, and its kind: a server that is newer by now does not make the index another.
// $kind: by dataset, or alone
MATCH (schema:Schema {name: 'trustuqa'})
SET schema.pattern_index = coalesce(schema.pattern_index, $kind)
