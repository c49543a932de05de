"""Connection, schema and statements of the database; the only room that imports the driver."""
