// The sources of a dataset that are graphs, how many facts they hold, and the relations that lead to classes.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
RETURN COUNT {
         MATCH (source:Source {dataset: $dataset}) WHERE source.name IS NOT NULL AND source.kind = 'table'
       } AS tables, COLLECT {
         MATCH (source:Source {dataset: $dataset}) WHERE source.name IS NOT NULL AND source.kind <> 'table'
         RETURN source.name
       } AS graphs, dataset.facts AS facts, COLLECT {
         MATCH (relation:Relation {dataset: $dataset, folded: 'type'}) RETURN relation.name
       } AS types
