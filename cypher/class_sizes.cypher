// List the largest classes of a dataset: the id of the class node, its name, and the number of its members.
// $dataset: text
// $sources: list of text, sources whose facts count
// $types: list of the relations that lead to classes
// $limit: whole number
UNWIND $sources AS source
UNWIND $types AS type
MATCH ()-[fact:FACT]->(class)
WHERE fact.dataset = $dataset AND fact.source = source AND fact.relation = type AND class.name <> ''
WITH class, count(*) AS members ORDER BY members DESC, class.key LIMIT $limit
RETURN id(class) AS id, class.name AS name
