// List the relations from the given heads to the given tails, with the ids of their facts.
// $heads: list of node ids
// $tails: list of node ids
// $source: text, or null for any source
MATCH (head)-[fact:FACT]->(tail)
WHERE id(head) IN $heads AND id(tail) IN $tails AND ($source IS NULL OR fact.source = $source)
WITH fact.relation AS relation, collect(id(fact)) AS facts ORDER BY relation
RETURN collect([relation, facts]) AS relations
