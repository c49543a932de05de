// A new source and the load that will fill it.
// $dataset: text
// $source: text
// $format: text
// $files: list of text
// $sizes: list of whole numbers, in bytes
// $hashes: list of text, sha256
CREATE (:Source {dataset: $dataset, name: $source, files: $files, facts: 0})
CREATE (:Load {dataset: $dataset, source: $source, format: $format, files: $files, sizes: $sizes,
               hashes: $hashes, file: 0, position: 0, state: 'waiting', started: datetime()})
