// Return the nodes of a property graph: element id, labels and properties.
// $labels: list of text, a node has one of them; empty for all
// $own: list of text, a node has none of them
MATCH (node)
WHERE (size($labels) = 0 OR any(label IN labels(node) WHERE label IN $labels))
  AND none(label IN labels(node) WHERE label IN $own)
RETURN elementId(node) AS element, labels(node) AS labels, properties(node) AS properties
