// Record that no facts of an older schema version are left, and that indexes are missing.
MATCH (schema:Schema {name: 'trustuqa'})
SET schema.migration = 'indexes'
