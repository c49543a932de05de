// Read what a question to a dataset needs first, in one round trip: each column has the rows of another statement.
// $dataset: stored dataset
// $public: map of stored datasets to their names
// $keys: list of text, the keys of demonstrations
// $names: list of folded names; they are looked up only if the dataset has patterns
WITH $public[$dataset] AS name
MATCH (dataset:Dataset {name: name})
WITH name, dataset, EXISTS {
       MATCH (pattern:Pattern {dataset: name}) WHERE pattern.key IS NOT NULL
     } AS any
RETURN {
         what: 'dataset', name: name, folded: CASE WHEN dataset.complete THEN 'complete' END, id: null,
         known: {
           source: null, kind: null, embedded: coalesce(dataset.embedded, 0),
           vocabulary: COLLECT { MATCH (vocabulary:Vocabulary {dataset: $dataset}) RETURN vocabulary.stamp }[0],
           version: [coalesce(dataset.storage, dataset.name), dataset.adding, toString(dataset.loaded)]
         }
       } AS state,
       {
         dataset: name, any: any, model: dataset.pattern_model,
         threshold: dataset.askable_threshold, share: dataset.askable_share,
         precision: dataset.askable_precision, patterns: dataset.askable_patterns
       } AS calibration,
       COLLECT {
         MATCH (source:Source {dataset: $dataset})
         WHERE source.name IS NOT NULL // uses the index
         RETURN {dataset: name, name: source.name, kind: source.kind} LIMIT 2
       } AS sources,
       COLLECT {
         UNWIND $keys AS key
         MATCH (demonstration:Demonstration {dataset: name, key: key})
         WHERE demonstration.state IN ['verified', 'runs']
         RETURN {
           dataset: name, question: demonstration.question, query: demonstration.query,
           answers: demonstration.answers, source: demonstration.source, fields: demonstration.fields,
           state: demonstration.state, why: demonstration.why
         }
       } AS demonstrations,
       COLLECT {
         UNWIND CASE WHEN any THEN $names ELSE [] END AS folded
         WITH folded
         WHERE EXISTS { MATCH (node:Node {dataset: $dataset, folded: folded}) }
            OR EXISTS { MATCH (:Alias {dataset: $dataset, folded: folded})-[:OF]->() }
         RETURN {dataset: name, folded: folded, has_fact: true}
       } AS mentions
