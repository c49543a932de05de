// A dataset's state and its loads', for a new load to go by; idle is the seconds since a load's last batch.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (load:Load {dataset: $dataset})
WHERE load.source IS NOT NULL // all have one: named so that the index is used
WITH dataset, load ORDER BY load.source
RETURN dataset.state AS state, dataset.facts AS facts,
       collect(load {.source, .format, .encoding, .files, .hashes, .state, .owner, .file, .position,
                     idle: duration.inSeconds(load.touched, datetime()).seconds}) AS loads
