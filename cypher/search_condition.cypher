// The nodes out of which facts of the relations lead into the given tails, once per fact whatever its sources, and the facts' ids.
// $nodes: list of node ids
// $relations: list of relation names
// $source: text, or null for any source
MATCH (head)-[fact:FACT]->(tail)
WHERE id(tail) IN $nodes AND fact.relation IN $relations
  AND ($source IS NULL OR fact.source = $source)
WITH head, tail, fact.relation AS relation, collect(id(fact)) AS facts
RETURN collect(id(head)) AS nodes, collect(facts) AS facts
