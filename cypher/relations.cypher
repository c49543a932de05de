// The relations of a dataset, most facts first.
// $dataset: text
MATCH (relation:Relation {dataset: $dataset})
WHERE relation.name IS NOT NULL // all have one: named so that the index is used
RETURN relation.name AS name, relation.facts AS facts
ORDER BY facts DESC, name
