// Which relations lead out of any of the given nodes.
// $heads: list of node ids
// $source: text, or null for any source
MATCH (head)-[fact:FACT]->()
WHERE id(head) IN $heads AND ($source IS NULL OR fact.source = $source)
WITH fact.relation AS relation, count(*) AS facts ORDER BY facts DESC
RETURN collect(relation) AS relations
