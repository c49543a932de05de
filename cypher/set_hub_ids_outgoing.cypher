// Set the hub id on facts from hubs, by which they are indexed.
// $nodes: list of node ids
MATCH (head)-[fact:FACT]->()
WHERE id(head) IN $nodes AND fact.head IS NULL
CALL (fact, head) { SET fact.head = id(head) } IN TRANSACTIONS OF 20000 ROWS
