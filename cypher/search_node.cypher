// The nodes that facts of the relations lead to out of the given heads, once per fact whatever its sources, and the facts' ids.
// $nodes: list of node ids
// $relations: list of relation names
// $source: text, or null for any source
MATCH (head)-[fact:FACT]->(tail)
WHERE id(head) IN $nodes AND fact.relation IN $relations
  AND ($source IS NULL OR fact.source = $source)
WITH head, tail, fact.relation AS relation, collect(id(fact)) AS facts
RETURN collect(id(tail)) AS nodes, collect(facts) AS facts
