// Copy facts and their nodes to another stored name, in batches.
// $target: text, stored name of the copy
// $numbers: list of [number of the facts, number of their copies]
UNWIND $numbers AS pair
MATCH (head)-[fact:FACT]->(tail)
USING INDEX SEEK fact:FACT(number)
WHERE fact.number = pair[0]
CALL (pair, head, fact, tail) {
  MERGE (start:Node {dataset: $target, key: head.key})
  ON CREATE SET start += head {.*, dataset: $target, hub: null}, start:$(labels(head))
  MERGE (end:Node {dataset: $target, key: tail.key})
  ON CREATE SET end += tail {.*, dataset: $target, hub: null}, end:$(labels(tail))
  CREATE (start)-[copy:FACT]->(end)
  SET copy = fact {.*, number: pair[1], head: null, tail: null}
} IN TRANSACTIONS OF 10000 ROWS
