// Lock a load for one batch, if it still is this process's own.
// $dataset: text
// $source: text
// $owner: text
MATCH (load:Load {dataset: $dataset, source: $source})
SET load.touched = datetime()
WITH load WHERE load.owner = $owner
RETURN load.file AS file, load.position AS position
