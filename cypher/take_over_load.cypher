// Make an owner the owner of a load.
// $dataset: text
// $number: whole number
// $owner: text
MATCH (load:Load {dataset: $dataset, number: $number})
SET load.owner = $owner, load.touched = datetime(), load.state = 'running'
RETURN load.position AS position
