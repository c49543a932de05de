// List the relations of the facts to the given tails, those with most facts first.
// $tails: list of node ids
// $source: text, or null for any source
// $with_facts: whether to return the ids of the facts
MATCH ()-[fact:FACT]->(tail)
WHERE id(tail) IN $tails AND ($source IS NULL OR fact.source = $source)
WITH fact.relation AS relation, count(*) AS count, collect(CASE WHEN $with_facts THEN id(fact) END) AS facts
ORDER BY count DESC, relation
RETURN collect([relation, facts]) AS relations
