"""Neo4j: connection, schema, statements, writing, the embedded server; the only importer of the driver."""
