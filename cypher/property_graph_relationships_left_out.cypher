// Count the relationships of a property graph of which only one end is read.
// $labels: list of text, a node that is read has one of them
// $own: list of text, a node that is read has none of them
MATCH (start)-[relationship]->(end)
WHERE any(label IN labels(start) WHERE label IN $labels) <> any(label IN labels(end) WHERE label IN $labels)
  AND none(label IN labels(start) + labels(end) WHERE label IN $own)
RETURN count(relationship) AS relationships
