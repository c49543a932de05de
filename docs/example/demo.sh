#!/bin/sh
# What `make demo` does: a server, a small graph, two queries with their proof, and where to see it all.
set -eu
cd "$(dirname "$0")"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show tuqa-load kg apollo.tsv --dataset apollo
printf '\nWho flew on Apollo 11?\n'
show tuqa run crew.txt --dataset apollo
printf '\nOn which missions did those born in San Francisco fly?\n'
show tuqa run flights.txt --dataset apollo
printf '\nSee the graph in Neo4j Browser (user neo4j; `tuqa neo4j password` shows the password):\n'
show tuqa neo4j browser --query "MATCH p = (:Node {dataset: 'apollo'})-[:FACT]->() RETURN p"
