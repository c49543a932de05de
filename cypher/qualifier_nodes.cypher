// Return the qualifier nodes of facts that have qualifiers.
// $facts: list of relationship ids
MATCH (head)-[fact:FACT]->()
WHERE id(fact) IN $facts AND fact.hyperedge IS NOT NULL
MATCH (edge:Node {dataset: head.dataset, key: fact.hyperedge})
RETURN collect([id(fact), id(edge)]) AS facts
