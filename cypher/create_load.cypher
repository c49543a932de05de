// A new source and the load that will fill it.
// $dataset: text
// $source: text
// $format: text
// $encoding: text
// $files: list of text
// $sizes: list of whole numbers, in bytes
// $hashes: list of text, sha256
// $owner: text
CREATE (:Source {dataset: $dataset, name: $source, files: $files, facts: 0})
CREATE (:Load {dataset: $dataset, source: $source, format: $format, encoding: $encoding, files: $files,
               sizes: $sizes, hashes: $hashes, file: 0, position: 0, state: 'running', owner: $owner,
               started: datetime(), touched: datetime()})
