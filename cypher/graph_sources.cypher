// Return the graph sources of a dataset, the number of its facts, and the relations that lead to classes.
// $dataset: stored dataset
// $without: text, a source that does not count since it is being dropped, or null
RETURN COUNT {
         MATCH (source:Source {dataset: $dataset}) WHERE source.name IS NOT NULL AND source.kind = 'table'
       } AS tables, COLLECT {
         MATCH (source:Source {dataset: $dataset})
         WHERE source.name IS NOT NULL AND source.kind <> 'table' AND ($without IS NULL OR source.name <> $without)
         RETURN source.name
       } AS graphs, reduce(sum = 0, facts IN COLLECT {
         MATCH (source:Source {dataset: $dataset})
         WHERE source.name IS NOT NULL AND ($without IS NULL OR source.name <> $without)
         RETURN source.facts
       } | sum + facts) AS facts, COLLECT {
         MATCH (relation:Relation {dataset: $dataset, folded: 'type'}) RETURN relation.name
       } AS types
