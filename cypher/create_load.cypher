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
// $adds: whether the dataset stays visible without what the load adds
OPTIONAL MATCH (last:Load {dataset: $dataset})
WHERE last.number IS NOT NULL // uses the index
WITH coalesce(max(last.number), 0) + 1 AS number
CREATE (load:Load {dataset: $dataset, number: number, format: $format, encoding: $encoding, values: $values,
                   source: $source, files: $files, sizes: $sizes, hashes: $hashes, position: 0, dropped: [],
                   state: 'running', owner: $owner, started: datetime(), touched: datetime()})
WITH load
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (counter:Schema {name: 'trustuqa'})
SET dataset.complete = $adds,
    dataset.state = CASE WHEN $adds THEN 'complete' ELSE 'loading' END,
    dataset.adding = CASE WHEN $adds THEN coalesce(counter.numbers, 0) + 1 END
RETURN load.number AS number
