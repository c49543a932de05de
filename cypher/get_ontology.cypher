// Return the declared classes and relations of a dataset, and its join statistics.
// $dataset: stored dataset
OPTIONAL MATCH (vocabulary:Vocabulary {dataset: $dataset})
RETURN vocabulary.sides AS sides, vocabulary.sizes AS sizes, vocabulary.nameless AS nameless,
       vocabulary.pairs AS pairs, vocabulary.counts AS counts, COLLECT {
         MATCH (class:Class {dataset: $dataset}) WHERE class.source IS NOT NULL AND class.name IS NOT NULL
         RETURN class {.name, .parents, .disjoint, .labels, .comment}
       } AS classes, COLLECT {
         MATCH (property:Property {dataset: $dataset}) WHERE property.source IS NOT NULL AND property.name IS NOT NULL
         RETURN property {.name, .domains, .ranges, .values, .datatypes, .inverses, .parents, .labels, .comment,
                          .transitive}
       } AS properties, COLLECT {
         MATCH (source:Source {dataset: $dataset})-[has:HAS]->(relation)
         WHERE source.name IS NOT NULL AND source.kind <> 'table'
         WITH relation.name AS name, sum(has.facts) AS facts, sum(has.numbers) AS numbers, sum(has.dates) AS dates,
              sum(has.values) AS values
         RETURN [name, facts, numbers, dates, values]
       } AS relations
