// Find the patterns of demonstrations nearest in meaning; the index cannot filter (servers before 2026.02).
// $datasets: list of text, datasets whose patterns have vectors
// $vector: list of numbers
// $limit: whole number, patterns to return
// $depth: whole number, patterns to fetch from the index, of all datasets
CALL db.index.vector.queryNodes('tuqa_pattern_vector', $depth, $vector) YIELD node AS pattern
WHERE pattern.dataset IN $datasets
WITH pattern LIMIT $limit
RETURN collect([pattern.dataset, pattern.key]) AS patterns
