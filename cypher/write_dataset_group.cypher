// Record a group of datasets that demonstrations need together. The caller has locked the datasets.
// $group: text, the names of the datasets, joined
// $datasets: list of text
MERGE (group:DatasetGroup {name: $group})
SET group.datasets = $datasets
WITH group
UNWIND $datasets AS dataset
MERGE (:GroupMember {dataset: dataset, group: $group})
