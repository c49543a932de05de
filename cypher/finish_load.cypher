// A load has read all its files.
// $dataset: text
// $source: text
// $owner: text
MATCH (load:Load {dataset: $dataset, source: $source, owner: $owner})
SET load.state = 'complete', load.finished = datetime()
RETURN load.source AS source
