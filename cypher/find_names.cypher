// What names can mean in a dataset: the dataset and the source themselves, then relations, nodes by folded name or alias or by key.
// $dataset: text
// $source: text, or null
// $relations: list of folded names
// $names: list of folded names
// $keys: list of names as they are
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
UNION ALL
UNWIND $names AS folded
MATCH (alias:Alias {dataset: $dataset, folded: folded})
MATCH (alias)-[:OF]->(node)
RETURN 'alias' AS what, folded, alias.name AS name, id(node) AS id
UNION ALL
UNWIND $keys AS key
MATCH (node:Node {dataset: $dataset, key: key})
WHERE node.name IS NULL OR node.name <> key
RETURN 'key' AS what, null AS folded, key AS name, id(node) AS id
