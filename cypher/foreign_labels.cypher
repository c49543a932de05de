// Labels in a database that something else made ('' for none), and how properties tell their nodes apart.
// $labels: list of text, a node has one of them; empty for all
// $own: list of text, a node has none of them
// $properties: list of text
MATCH (node)
WHERE (size($labels) = 0 OR any(label IN labels(node) WHERE label IN $labels))
  AND none(label IN labels(node) WHERE label IN $own)
UNWIND CASE labels(node) WHEN [] THEN [''] ELSE labels(node) END AS label
UNWIND $properties AS property
RETURN label, property, count(node) AS nodes, count(DISTINCT node[property]) AS different
