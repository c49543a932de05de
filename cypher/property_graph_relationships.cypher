// List the ids of the relationships of a property graph between nodes that are read.
// $labels: list of text, an end has one of them; empty for all
// $own: list of text, an end has none of them
MATCH (start)-[relationship]->(end)
WHERE (size($labels) = 0
       OR any(label IN labels(start) WHERE label IN $labels) AND any(label IN labels(end) WHERE label IN $labels))
  AND none(label IN labels(start) + labels(end) WHERE label IN $own)
RETURN id(relationship) AS id
