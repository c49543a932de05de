// Some nodes of a database that something else made, with all they hold.
// $ids: list of whole numbers
UNWIND $ids AS id
MATCH (node) WHERE id(node) = id
RETURN id, elementId(node) AS element, labels(node) AS labels, properties(node) AS properties
