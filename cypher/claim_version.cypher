// Record which process deletes a version of a dataset.
// $version: text, the name of the version
// $owner: text
MATCH (version:Dataset {name: $version})
SET version.cleaner = $owner
