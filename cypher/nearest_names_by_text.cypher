// Find the names with the most similar words, with the similarity of their vectors to one vector.
// $datasets: list of stored datasets
// $text: search of stored datasets, in the language of full-text queries
// $limit: whole number
// $vector: list of numbers, or null
CALL db.index.fulltext.queryNodes('tuqa_name_text', $text, {limit: $limit}) YIELD node AS name
WHERE name.dataset IN $datasets
OPTIONAL MATCH (name)-[:OF]->(node)
RETURN collect([id(coalesce(node, name)), name.name, vector.similarity.cosine(name.embedding, $vector)]) AS names
