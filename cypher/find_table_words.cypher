// Return for each text the sources with a name or alias of this text, and for each search those with a name that it finds.
// Hubs, which are in most sources, do not count.
// $dataset: stored dataset
// $spans: list of folded names
// $texts: list of searches of stored datasets, in the language of full-text queries
// $limit: whole number, names of each search
CALL () {
  UNWIND $spans AS span
  CALL (span) {
    MATCH (node:Node {dataset: $dataset, folded: span})
    RETURN node LIMIT 20
    UNION
    MATCH (:Alias {dataset: $dataset, folded: span})-[:OF]->(node)
    RETURN node LIMIT 20
  }
  RETURN span, null AS place, node
  UNION
  UNWIND range(0, size($texts) - 1) AS place
  CALL db.index.fulltext.queryNodes('tuqa_name_text', $texts[place], {limit: $limit}) YIELD node AS match
  OPTIONAL MATCH (match)-[:OF]->(node)
  RETURN null AS span, place, coalesce(node, match) AS node
}
WITH span, place, node WHERE node.hub IS NULL
MATCH (node)<-[fact:FACT]-()
WITH span, place, collect(DISTINCT fact.number) AS numbers
UNWIND numbers AS number
MATCH (source)-[has:HAS]->()
USING INDEX SEEK has:HAS(number)
WHERE has.number = number
RETURN span, place, collect(DISTINCT source.name) AS sources
