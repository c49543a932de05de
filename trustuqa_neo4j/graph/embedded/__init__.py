"""The embedded server: the real Neo4j, fetched and run for whoever has no database."""

from .server import EmbeddedServer, Leased, leased, running, server_of, with_server

__all__ = ["EmbeddedServer", "Leased", "leased", "running", "server_of", "with_server"]
