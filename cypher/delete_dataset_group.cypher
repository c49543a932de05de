// Delete the record of a group of datasets; its demonstrations are deleted before.
// $group: text
MATCH (group:DatasetGroup {name: $group})
CALL (group) {
  UNWIND group.datasets AS dataset
  MATCH (member:GroupMember {dataset: dataset, group: $group})
  DELETE member
}
DELETE group
