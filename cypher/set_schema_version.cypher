// Record the schema version of the database.
// $version: whole number
MERGE (schema:Schema {name: 'trustuqa'})
SET schema.version = $version
