// Return the totals of a dataset, its synonyms and notes, and whether it is complete.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
RETURN dataset.kind AS kind, dataset.values AS values, dataset.complete AS complete, dataset.nodes AS nodes,
       dataset.facts AS facts, toString(dataset.loaded) AS loaded,
       coalesce(dataset.storage, dataset.name) AS storage, dataset.adding AS adding, COLLECT {
         MATCH (synonym:Synonym {dataset: $dataset}) WHERE synonym.phrase IS NOT NULL // uses the index
         RETURN synonym {.phrase, .name, .kind} ORDER BY synonym.phrase
       } AS synonyms, COLLECT {
         MATCH (note:Note {dataset: $dataset}) WHERE note.text IS NOT NULL // uses the index
         RETURN note.text ORDER BY note.added, note.position
       } AS notes, COLLECT { MATCH (vocabulary:Vocabulary {dataset: coalesce(dataset.storage, dataset.name)}) RETURN vocabulary.stamp }[0] AS stamp
