#!/bin/sh
# Entry point of the container. A secret NAME may be in a file, which NAME_FILE names. The container listens
# for all, and the port that is published decides who reaches it.
set -eu
for name in NEO4J_PASSWORD OPENAI_API_KEY TUQA_SERVE_TOKEN TUQA_SERVE_AGENT_TOKEN; do
  eval "file=\${${name}_FILE:-}"
  [ -n "$file" ] || continue
  if ! [ -f "$file" ] || ! [ -r "$file" ]; then
    echo "error: the file of a secret cannot be read, ${name}_FILE=$file" >&2
    echo "hint: mount the file, readable for the user $(id -u), or unset ${name}_FILE" >&2
    exit 2
  fi
  value=$(cat "$file")
  export "$name=$value"
done
if [ -z "${NEO4J_URI:-}" ]; then
  echo "error: no server, NEO4J_URI is not set" >&2
  echo "hint: set it to the address of a Neo4j server, as bolt://neo4j:7687" >&2
  exit 2
fi
exec tuqa serve --host 0.0.0.0 --allow-host localhost --allow-host 127.0.0.1 "$@"
