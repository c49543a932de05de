// The sources of a dataset that are graphs, how many facts all hold, and the relations that lead to classes.
// $dataset: text
// $without: text, a source that is being dropped and does not count, or null
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
