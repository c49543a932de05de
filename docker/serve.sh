#!/bin/sh
# Entry point of the container. It listens for all, and the port that is published decides who reaches it.
# Secrets are read by the service itself, from the files that NEO4J_AUTH_FILE and the like name.
set -eu
if [ -z "${NEO4J_URI:-}" ]; then
  echo "error: no server, NEO4J_URI is not set" >&2
  echo "hint: set it to the address of a Neo4j server, as bolt://neo4j:7687" >&2
  exit 2
fi
exec tuqa serve --host 0.0.0.0 --allow-host localhost --allow-host 127.0.0.1 "$@"
