// Give a dataset another name; its data keep their stored name.
// $dataset: text
// $name: text, the new name
// $versions: list of text, the names of its other versions
MATCH (dataset:Dataset {name: $dataset})
SET dataset.storage = coalesce(dataset.storage, dataset.name), dataset.name = $name
WITH dataset
CALL () {
  UNWIND $versions AS version_name
  MATCH (version:Dataset {name: version_name})
  SET version.version_of = $name
}
CALL () {
  MATCH (load:Load {dataset: $dataset}) WHERE load.number IS NOT NULL // uses the index
  SET load.dataset = $name
}
CALL () {
  MATCH (synonym:Synonym {dataset: $dataset}) WHERE synonym.phrase IS NOT NULL // uses the index
  SET synonym.dataset = $name
}
CALL () {
  MATCH (note:Note {dataset: $dataset}) WHERE note.text IS NOT NULL // uses the index
  SET note.dataset = $name
}
RETURN dataset.storage AS storage
