// Return the schema version of the database.
MATCH (schema:Schema {name: 'trustuqa'})
RETURN schema.version AS version
