#!/bin/sh
# What `make demo` does: a server, a graph, a table and a temporal graph about the same missions, questions in
# plain words with the facts that prove the answers, and where to see it all. No key is needed: a question is
# answered after the nearest of thirty demonstrations, in which other names stand, or read with the words of the table.
set -eu
cd "$(dirname "$0")"

now() {
  python -c 'import time; print(time.time())'
}

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

ask() {
  printf '\n-- %s\n$ tuqa ask "%s"\n' "$1" "$2"
  shift
  began=$(now)
  # What cannot be asked ends with the exit code 1, which is not a failure of the demo.
  tuqa ask "$@" --dataset "$dataset" || test $? -eq 1
  python -c "import sys; print(f'({float(sys.argv[2]) - float(sys.argv[1]):.1f} s, with the start of the program)')" \
    "$began" "$(now)"
}

own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
printf 'Nation,Gold,Silver\nFrance,16,26\nJapan,20,12\nKenya,4,2\n' > "$own/medals.csv"
here=$PWD
cd "$own"
dataset=demo-medals
# Without vectors nothing has to open the model that makes them: names are found by their letters.
show tuqa-load medals.csv --dataset demo-medals --replace --no-embeddings
ask 'a file of your own, asked at once' 'Which nation won the most gold?'
ask 'a file of your own, asked at once' 'How many gold medals did Kenya win?'
tuqa drop demo-medals --yes >/dev/null
cd "$here"
dataset=apollo
show tuqa-load kg apollo.tsv --dataset apollo --replace --no-embeddings
show tuqa-load table missions.csv --dataset apollo --append --no-embeddings
show tuqa-load temporal-kg service.tsv --dataset apollo --append --no-embeddings \
  --demonstrations demonstrations.jsonl
show tuqa schema apollo
ask 'looked up in the graph' 'Who flew on Apollo 15?'
ask 'looked up in the table' 'When was Apollo 16 launched?'
ask 'counted' 'How many missions aimed at a lunar landing?'
ask 'compared' 'Which flew longer, Apollo 14 or Apollo 17?'
ask 'the most of some' 'Which mission was the longest of those that aimed at a lunar landing?'
ask 'at a moment, in the temporal graph' 'Who led NASA on 7 December 1972?'
ask 'from the table into the graph, step by step' 'Where was the commander of Apollo 12 born?' --why
ask 'through all three' 'Who led NASA when the mission was launched that landed in the Descartes Highlands?'
ask 'read: nobody taught a mean' 'What was the average number of hours in flight of the missions that aimed at a lunar landing?'
ask 'read: the next row' 'Who commanded the mission after Apollo 9?'
ask 'nothing found: between two administrators' 'Who led NASA on 1 January 1971?'
ask 'not askable: the data do not speak of it' 'How much did Apollo 11 cost?'
printf '\nSee the graph in Neo4j Browser (user neo4j; `tuqa neo4j password` shows the password):\n'
show tuqa neo4j browser --query "MATCH p = (:Node {dataset: 'apollo', key: 'Apollo 11'})-[:FACT]-{1,2}() RETURN p"
printf '\nAsk on a page: cd %s && %s serve --open\n' "$PWD" "$(command -v tuqa)"
