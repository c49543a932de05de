// Return the qualifiers of facts that have some, each as relation and node.
// $facts: list of relationship ids
MATCH (head)-[fact:FACT]->()
WHERE id(fact) IN $facts AND fact.hyperedge IS NOT NULL
MATCH (edge:Node {dataset: head.dataset, key: fact.hyperedge})-[qualifier:FACT]->(value)
WITH fact, collect(DISTINCT [qualifier.relation, id(value)]) AS qualifiers
RETURN collect([id(fact), qualifiers]) AS facts
