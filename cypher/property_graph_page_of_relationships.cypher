// Return relationships of a property graph, with the identifying properties of their ends.
// $ids: list of whole numbers
// $properties: list of text, the properties that identify nodes
UNWIND $ids AS id
MATCH (start)-[relationship]->(end) WHERE id(relationship) = id
RETURN id, type(relationship) AS type, properties(relationship) AS properties,
       [elementId(start), labels(start), [property IN $properties | start[property]]] AS start,
       [elementId(end), labels(end), [property IN $properties | end[property]]] AS end
