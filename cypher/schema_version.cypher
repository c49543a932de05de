// The schema version of this database, if it has one.
MATCH (schema:Schema {name: 'trustuqa'})
RETURN schema.version AS version
