// List the relationship types of a property graph, the labels of their ends, and the names of their properties.
// $labels: list of text, an end has one of them; empty for all
// $own: list of text, an end has none of them
MATCH (start)-[relationship]->(end)
WHERE (size($labels) = 0
       OR any(label IN labels(start) WHERE label IN $labels) AND any(label IN labels(end) WHERE label IN $labels))
  AND none(label IN labels(start) + labels(end) WHERE label IN $own)
WITH DISTINCT type(relationship) AS type, labels(start) AS starts, labels(end) AS ends, keys(relationship) AS properties
RETURN type, starts, ends, properties
