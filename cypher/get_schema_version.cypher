// Return the schema version of the database, the step of a migration that has begun, and the number of datasets.
MATCH (schema:Schema {name: 'trustuqa'})
WHERE schema.version IS NOT NULL
RETURN schema.version AS version, schema.migration AS migration, COUNT { MATCH (:Dataset) } AS datasets
