// List the largest classes of a dataset: the id of the class node, its name, and the number of its members.
// $dataset: stored dataset
// $sources: list of text, sources whose facts count
// $types: list of the relations that lead to classes
// $limit: whole number
UNWIND $sources AS source
MATCH (:Source {dataset: $dataset, name: source})-[has:HAS]->(relation)
WHERE relation.name IN $types
WITH has.number AS number
MATCH ()-[fact:FACT]->(class)
WHERE fact.number = number AND class.name <> ''
WITH class, count(*) AS members ORDER BY members DESC, class.key LIMIT $limit
RETURN id(class) AS id, class.name AS name
