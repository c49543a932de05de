// Create the node by which processes lock the schema.
MERGE (:SchemaLock {name: 'trustuqa'})
