// The relations out of the given heads, with the ids of their facts.
// $heads: list of node ids
// $source: text, or null for any source
MATCH (head)-[fact:FACT]->()
WHERE id(head) IN $heads AND ($source IS NULL OR fact.source = $source)
WITH fact.relation AS relation, collect(id(fact)) AS facts ORDER BY relation
RETURN collect([relation, facts]) AS relations
