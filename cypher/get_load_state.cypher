// Return the state of a dataset and its loads; idle is the seconds since the last batch of a load.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // uses the index
WITH dataset, load ORDER BY load.number
RETURN COUNT {
         MATCH (source:Source {dataset: coalesce(dataset.storage, dataset.name)}) WHERE source.name IS NOT NULL
       } AS sources,
       dataset.complete AS complete, dataset.adding AS adding, dataset.state AS state,
       dataset.facts AS facts, dataset.kind AS kind, dataset.values AS values,
       collect(load {.number, .format, .encoding, .values, .source, .files, .hashes, .state, .owner,
                     .position, .dropped, facts: coalesce(load.facts, 0),
                     idle: duration.inSeconds(load.touched, datetime()).seconds}) AS loads
