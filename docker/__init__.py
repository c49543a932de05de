"""A server in Docker, and how Neo4j Browser shows the graph."""
