"""The embedded server: the real Neo4j, downloaded and run for users who have no database."""

from .server import EmbeddedServer, ServerLease, ensure_running, lease_server

__all__ = ["EmbeddedServer", "ServerLease", "ensure_running", "lease_server"]
