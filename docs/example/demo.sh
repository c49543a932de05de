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
printf '\nHow many missions aimed at a landing? (the table, counted)\n'
show tuqa run landings.txt --dataset apollo
printf '\nWhich flew longer, Apollo 12 or Apollo 13? (compared)\n'
show tuqa run longer.txt --dataset apollo
printf '\nWhich mission was the longest, and who commanded it? (the row of the highest value)\n'
show tuqa run longest.txt --dataset apollo
printf '\nWho led NASA on 20 July 1969? (the temporal graph, at a moment)\n'
show tuqa run leaders.txt --dataset apollo
printf '\nWho led NASA when the mission was launched that landed in the Ocean of Storms? (all three)\n'
show tuqa run storms.txt --dataset apollo
printf '\nSee the graph in Neo4j Browser (user neo4j; `tuqa neo4j password` shows the password):\n'
show tuqa neo4j browser --query "MATCH p = (:Node {dataset: 'apollo'})-[:FACT]->() RETURN p"
