#!/bin/sh
# What `make demo` does: a server, a graph, a table and a temporal graph, queries with their proof, and where
# to see it all.
set -eu
cd "$(dirname "$0")"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show tuqa-load kg apollo.tsv --dataset apollo --replace --no-embeddings
show tuqa-load table missions.csv --dataset apollo --append --no-embeddings
# The last one embeds what all three are called: opening the model takes longer than the names do.
show tuqa-load temporal-kg service.tsv --dataset apollo --append
show tuqa schema apollo
printf '\nWho flew on Apollo 11? (the graph)\n'
show tuqa run crew.txt --dataset apollo
printf '\nOn which missions did those born in San Francisco fly? (two steps)\n'
show tuqa run flights.txt --dataset apollo
printf '\nWho commanded, by the table, those missions that aimed at a landing? (rows, then their commanders)\n'
show tuqa run landings.txt --dataset apollo
printf '\nWho led NASA, and when? (the temporal graph)\n'
show tuqa run leaders.txt --dataset apollo
printf '\nSee the graph in Neo4j Browser (user neo4j; `tuqa neo4j password` shows the password):\n'
show tuqa neo4j browser --query "MATCH p = (:Node {dataset: 'apollo'})-[:FACT]->() RETURN p"
