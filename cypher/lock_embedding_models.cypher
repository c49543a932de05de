// Keep other processes from recording an embedding model until the transaction ends. The schema record is model 0.
MERGE (schema:Schema {name: 'trustuqa'})
SET schema.name = 'trustuqa'
