// What names can mean in a dataset: the dataset and the source themselves, then relations and nodes by folded name.
// $dataset: text
// $source: text, or null
// $relations: list of folded names
// $names: list of folded names
MATCH (dataset:Dataset {name: $dataset})
OPTIONAL MATCH (source:Source {dataset: $dataset, name: $source})
RETURN 'dataset' AS what, CASE WHEN dataset.complete THEN 'complete' END AS folded, source.name AS name, null AS id
UNION ALL
UNWIND $relations AS folded
MATCH (relation:Relation {dataset: $dataset, folded: folded})
RETURN 'relation' AS what, folded, relation.name AS name, null AS id
UNION ALL
UNWIND $names AS folded
MATCH (node:Node {dataset: $dataset, folded: folded})
RETURN 'node' AS what, folded, node.name AS name, id(node) AS id
