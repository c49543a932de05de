// List the facts of a source; a node is [id, key, kind, name if other than the key, aliases].
// $dataset: stored dataset
// $source: text
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->()
WITH has.number AS number
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number
  AND NOT head:Hyperedge
RETURN coalesce(fact.file, 0) AS file, fact.line AS line, id(fact) AS id,
       [id(head), head.key,
        CASE WHEN head:Entity AND NOT head:Name THEN 'unnamed' WHEN head:Row AND head.source = $source THEN 'row'
             WHEN head:Entity THEN 'entity' ELSE 'value' END,
        CASE WHEN head:Row AND head.source = $source THEN toString(head.position)
             WHEN head.name <> head.key THEN head.name END,
        head.aliases] AS head,
       fact.relation AS relation,
       [id(tail), tail.key,
        CASE WHEN tail:Entity AND NOT tail:Name THEN 'unnamed' WHEN tail:Row AND tail.source = $source THEN 'row'
             WHEN tail:Entity THEN 'entity' ELSE 'value' END,
        CASE WHEN tail:Row AND tail.source = $source THEN toString(tail.position)
             WHEN tail.name <> tail.key THEN tail.name END,
        tail.aliases] AS tail,
       fact.start AS start, fact.end AS end, fact.start_text AS start_text, fact.end_text AS end_text,
       fact.hyperedge AS hyperedge, COLLECT {
         MATCH (edge:Node {dataset: $dataset, key: fact.hyperedge})-[qualifier:FACT]->(value)
         RETURN [id(qualifier), qualifier.relation,
                 [id(value), value.key,
                  CASE WHEN value:Entity AND NOT value:Name THEN 'unnamed' WHEN value:Entity THEN 'entity' ELSE 'value' END,
                  CASE WHEN value.name <> value.key THEN value.name END,
                  value.aliases]]
       } AS qualifiers, fact.cell AS cell
