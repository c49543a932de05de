// The facts of the relations between heads and tails, with where they come from; at most a limit of them.
// $heads: list of node ids
// $relations: list of relation names
// $tails: list of node ids
// $source: text, or null for any source
// $limit: whole number
MATCH (head)-[fact:FACT]->(tail)
WHERE id(head) IN $heads AND id(tail) IN $tails AND fact.relation IN $relations
  AND ($source IS NULL OR fact.source = $source)
WITH head, fact, tail LIMIT $limit
MATCH (source:Source {dataset: fact.dataset, name: fact.source})
RETURN head.name AS head, fact.relation AS relation, tail.name AS tail, fact.dataset AS dataset,
       fact.source AS source, source.files[coalesce(fact.file, 0)] AS file, fact.line AS line
