// List the labels of a property graph ('' for none), and how many different values their properties have.
// $labels: list of text, a node has one of them; empty for all
// $own: list of text, a node has none of them
// $properties: list of text, properties that may identify nodes
MATCH (node)
WHERE (size($labels) = 0 OR any(label IN labels(node) WHERE label IN $labels))
  AND none(label IN labels(node) WHERE label IN $own)
UNWIND CASE labels(node) WHEN [] THEN [''] ELSE labels(node) END AS label
UNWIND $properties AS property
RETURN label, property, count(node) AS nodes, count(DISTINCT node[property]) AS different
