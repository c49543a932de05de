// Create relationships of a property graph.
// $relationships: list of [id of the start, type, id of the end, properties]
UNWIND $relationships AS row
MATCH (start) WHERE id(start) = row[0]
MATCH (end) WHERE id(end) = row[2]
CREATE (start)-[relationship:$(row[1])]->(end)
SET relationship = row[3]
RETURN count(relationship) AS relationships
