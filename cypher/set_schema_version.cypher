// Record the schema version of this database.
// $version: whole number
MERGE (schema:Schema {name: 'trustuqa'})
SET schema.version = $version
