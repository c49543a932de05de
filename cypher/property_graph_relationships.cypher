// Return the relationships of a property graph between nodes that are read, by their start.
// An end is its element id, labels and identifying properties. A start with many relationships has a row for each.
// $labels: list of text, an end has one of them; empty for all
// $own: list of text, an end has none of them
// $properties: list of text, the properties that identify nodes
// $degree: whole number, more relationships than this have rows of their own
MATCH (start)
WHERE (size($labels) = 0 OR any(label IN labels(start) WHERE label IN $labels))
  AND none(label IN labels(start) WHERE label IN $own)
  AND COUNT { (start)-->() } > 0
CALL (start) {
  WITH start WHERE COUNT { (start)-->() } <= $degree
  MATCH (start)-[relationship]->(end)
  WHERE (size($labels) = 0 OR any(label IN labels(end) WHERE label IN $labels))
    AND none(label IN labels(end) WHERE label IN $own)
  RETURN collect([type(relationship), properties(relationship),
                  elementId(end), labels(end), [property IN $properties | end[property]]]) AS relationships
  UNION ALL
  WITH start WHERE COUNT { (start)-->() } > $degree
  MATCH (start)-[relationship]->(end)
  WHERE (size($labels) = 0 OR any(label IN labels(end) WHERE label IN $labels))
    AND none(label IN labels(end) WHERE label IN $own)
  RETURN [[type(relationship), properties(relationship),
           elementId(end), labels(end), [property IN $properties | end[property]]]] AS relationships
}
WITH start, relationships WHERE size(relationships) > 0
RETURN elementId(start) AS element, labels(start) AS labels, [property IN $properties | start[property]] AS values,
       relationships
