// Find the patterns of demonstrations with the most similar words.
// $datasets: list of text
// $text: text, in the language of full-text queries
// $limit: whole number, patterns to fetch from the index, of all datasets
CALL db.index.fulltext.queryNodes('tuqa_pattern_text', $text, {limit: $limit}) YIELD node AS pattern, score
WHERE pattern.dataset IN $datasets
RETURN collect([pattern.dataset, pattern.key, score]) AS patterns
