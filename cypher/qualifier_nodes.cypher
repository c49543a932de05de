// Return the qualifier nodes of facts that have qualifiers.
// $facts: list of relationship ids
MATCH ()-[fact:FACT]->()
WHERE id(fact) IN $facts AND fact.hyperedge IS NOT NULL
MATCH (edge:Node {dataset: fact.dataset, key: fact.hyperedge})
RETURN collect([id(fact), id(edge)]) AS facts
