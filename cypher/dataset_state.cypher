// A dataset's state and its loads', for a new load to go by; idle is the seconds since a load's last batch.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.number IS NOT NULL // all have one: named so that the index is used
WITH dataset, load ORDER BY load.number
RETURN COUNT { MATCH (source:Source {dataset: $dataset}) WHERE source.name IS NOT NULL } AS sources,
       dataset.state AS state, dataset.facts AS facts, dataset.kind AS kind, dataset.values AS values,
       collect(load {.number, .format, .encoding, .values, .source, .files, .hashes, .state, .owner,
                     .position, .dropped,
                     idle: duration.inSeconds(load.touched, datetime()).seconds}) AS loads
