// Set the hub id on facts to hubs, by which they are indexed.
// $nodes: list of node ids
MATCH ()-[fact:FACT]->(tail)
WHERE id(tail) IN $nodes AND fact.tail IS NULL
CALL (fact, tail) { SET fact.tail = id(tail) } IN TRANSACTIONS OF 20000 ROWS
