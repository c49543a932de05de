// By which relations any of the given nodes is led to.
// $tails: list of node ids
// $source: text, or null for any source
MATCH ()-[fact:FACT]->(tail)
WHERE id(tail) IN $tails AND ($source IS NULL OR fact.source = $source)
WITH fact.relation AS relation, count(*) AS facts ORDER BY facts DESC
RETURN collect(relation) AS relations
