// Give the demonstrations of a dataset, or of a group, and their patterns to another name of it.
// $dataset: text
// $name: text, the new name
CALL () {
  MATCH (demonstration:Demonstration {dataset: $dataset}) WHERE demonstration.key IS NOT NULL // uses the index
  SET demonstration.dataset = $name
}
CALL () {
  MATCH (pattern:Pattern {dataset: $dataset}) WHERE pattern.key IS NOT NULL // uses the index
  SET pattern.dataset = $name
}
RETURN $name AS name
