// Record the new schema version, and that facts of the older version may be left.
// $version: whole number
MATCH (schema:Schema {name: 'trustuqa'})
SET schema.version = $version, schema.migration = 'facts'
