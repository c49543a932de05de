// Return nodes of a property graph with their labels and properties.
// $ids: list of whole numbers
UNWIND $ids AS id
MATCH (node) WHERE id(node) = id
RETURN id, elementId(node) AS element, labels(node) AS labels, properties(node) AS properties
