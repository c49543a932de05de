// Find the patterns of demonstrations nearest in meaning; the index filters by dataset (servers from 2026.02 on).
// $datasets: list of text, datasets whose patterns have vectors
// $vector: list of numbers
// $limit: whole number, patterns of each dataset
CYPHER 25
UNWIND $datasets AS dataset
CALL (dataset) {
  MATCH (pattern:Pattern)
  SEARCH pattern IN (VECTOR INDEX tuqa_pattern_vector FOR $vector WHERE pattern.dataset = dataset LIMIT $limit)
  RETURN pattern
}
RETURN collect([pattern.dataset, pattern.key]) AS patterns
