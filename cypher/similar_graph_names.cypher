// Find the nodes of graphs with the most similar names or aliases: node, the name that is similar, and its main name.
// $text: search of stored datasets, in the language of full-text queries
// $limit: whole number
CALL db.index.fulltext.queryNodes('tuqa_name_text', $text, {limit: $limit}) YIELD node AS match
OPTIONAL MATCH (match)-[:OF]->(owner)
WITH match, coalesce(owner, match) AS node
WHERE node:Name OR node:Value
RETURN collect([id(node), match.name, node.name]) AS names
