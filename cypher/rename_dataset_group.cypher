// Give a group of datasets another name, since one of its datasets has another.
// $group: text
// $name: text, the new name
// $datasets: list of text, the new names of its datasets
MATCH (group:DatasetGroup {name: $group})
CALL (group) {
  UNWIND group.datasets AS dataset
  MATCH (member:GroupMember {dataset: dataset, group: $group})
  DELETE member
}
SET group.name = $name, group.datasets = $datasets
WITH group
UNWIND $datasets AS dataset
CREATE (:GroupMember {dataset: dataset, group: $name})
