// The relations of a dataset, most facts first.
// $dataset: text
MATCH (relation:Relation {dataset: $dataset})
WHERE relation.name IS NOT NULL // all have one: named so that the index is used
RETURN relation.name AS name, reduce(sum = 0, n IN COLLECT {
         MATCH (relation)<-[has:HAS]-() RETURN has.facts
       } | sum + n) AS facts
ORDER BY facts DESC, name
