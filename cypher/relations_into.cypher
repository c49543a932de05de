// The relations into the given tails, with the ids of their facts.
// $tails: list of node ids
// $source: text, or null for any source
MATCH ()-[fact:FACT]->(tail)
WHERE id(tail) IN $tails AND ($source IS NULL OR fact.source = $source)
WITH fact.relation AS relation, collect(id(fact)) AS facts ORDER BY relation
RETURN collect([relation, facts]) AS relations
