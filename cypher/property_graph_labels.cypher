// Count the nodes of a property graph by label ('' for none) and property ('' for all), and their different values.
// Only the values of properties that may identify nodes are counted.
// $labels: list of text, a node has one of them; empty for all
// $own: list of text, a node has none of them
// $properties: list of text, properties that may identify nodes
MATCH (node)
WHERE (size($labels) = 0 OR any(label IN labels(node) WHERE label IN $labels))
  AND none(label IN labels(node) WHERE label IN $own)
UNWIND CASE labels(node) WHEN [] THEN [''] ELSE labels(node) END AS label
UNWIND [''] + keys(node) AS property
RETURN label, property, count(*) AS nodes,
       count(DISTINCT CASE WHEN property IN $properties THEN node[property] END) AS different
