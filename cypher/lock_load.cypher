// Lock a load for one batch, if this process still owns it.
// $dataset: text
// $number: whole number
// $owner: text
MATCH (load:Load {dataset: $dataset, number: $number})
SET load.touched = datetime()
WITH load WHERE load.owner = $owner
RETURN load.position AS position
