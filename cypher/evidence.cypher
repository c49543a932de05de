// Facts by their ids, with when they held and where they come from; a node without a name is called by its key.
// $facts: list of relationship ids
MATCH (head)-[fact:FACT]->(tail)
WHERE id(fact) IN $facts
MATCH (source:Source {dataset: fact.dataset, name: fact.source})
RETURN id(fact) AS id, coalesce(head.name, head.key) AS head, fact.relation AS relation,
       coalesce(tail.name, tail.key) AS tail, fact.dataset AS dataset, fact.source AS source,
       source.files[fact.file] AS file, fact.line AS line, fact.start_text AS start, fact.end_text AS end
