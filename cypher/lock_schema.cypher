// Lock the schema until the transaction ends.
MATCH (lock:SchemaLock {name: 'trustuqa'})
SET lock.name = lock.name
