// Record the schema version of the database, and that nothing is left of an older version.
// $version: whole number
MERGE (schema:Schema {name: 'trustuqa'})
SET schema.version = $version, schema.migration = null
