"""Bulk load: facts to CSV files, the import tool of Neo4j, and the store exchanged."""
