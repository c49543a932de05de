// Create the record of a load; its number is one more than the last.
// $dataset: text
// $format: text
// $encoding: text
// $values: text, how values are read
// $source: text, or null where the files name their sources
// $files: list of text
// $sizes: list of whole numbers, in bytes
// $hashes: list of text, sha256
// $owner: text
OPTIONAL MATCH (last:Load {dataset: $dataset})
WHERE last.number IS NOT NULL // uses the index
WITH coalesce(max(last.number), 0) + 1 AS number
CREATE (load:Load {dataset: $dataset, number: number, format: $format, encoding: $encoding, values: $values,
                   source: $source, files: $files, sizes: $sizes, hashes: $hashes, position: 0, dropped: [],
                   state: 'running', owner: $owner, started: datetime(), touched: datetime()})
WITH load
MATCH (dataset:Dataset {name: $dataset})
SET dataset.complete = false, dataset.state = 'loading'
RETURN load.number AS number
