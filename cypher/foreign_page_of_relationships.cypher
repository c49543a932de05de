// Some relationships of a database that something else made, and of their ends what tells which they are.
// $ids: list of whole numbers
// $properties: list of text, the properties by which nodes are known
UNWIND $ids AS id
MATCH (start)-[relationship]->(end) WHERE id(relationship) = id
RETURN id, type(relationship) AS type, properties(relationship) AS properties,
       [elementId(start), labels(start), [property IN $properties | start[property]]] AS start,
       [elementId(end), labels(end), [property IN $properties | end[property]]] AS end
