// Facts by their ids, with where they come from.
// $facts: list of relationship ids
MATCH (head)-[fact:FACT]->(tail)
WHERE id(fact) IN $facts
MATCH (source:Source {dataset: fact.dataset, name: fact.source})
RETURN id(fact) AS id, head.name AS head, fact.relation AS relation, tail.name AS tail,
       fact.dataset AS dataset, fact.source AS source, source.files[coalesce(fact.file, 0)] AS file,
       fact.line AS line
