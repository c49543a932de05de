// Facts that the source does not hold yet, counted in the catalogue.
// $dataset: text
// $source: text
// $file: whole number, the place of the file among the source's
// $facts: list of [key of the head, relation, key of the tail, line]
UNWIND $facts AS row
MATCH (head:Node {dataset: $dataset, key: row[0]})
MATCH (tail:Node {dataset: $dataset, key: row[2]})
WHERE NOT EXISTS { (head)-[:FACT {source: $source, relation: row[1]}]->(tail) }
CREATE (head)-[:FACT {dataset: $dataset, source: $source, relation: row[1], file: $file, line: row[3]}]->(tail)
WITH row[1] AS name, count(*) AS facts
MATCH (relation:Relation {dataset: $dataset, name: name})
SET relation.facts = relation.facts + facts
RETURN sum(facts) AS facts
