// Count the demonstrations of a dataset by state, and its patterns.
// $dataset: text
RETURN COUNT {
  MATCH (demonstration:Demonstration {dataset: $dataset}) WHERE demonstration.key IS NOT NULL AND demonstration.state = 'candidate'
} AS candidate, COUNT {
  MATCH (demonstration:Demonstration {dataset: $dataset}) WHERE demonstration.key IS NOT NULL AND demonstration.state = 'verified'
} AS verified, COUNT {
  MATCH (demonstration:Demonstration {dataset: $dataset}) WHERE demonstration.key IS NOT NULL AND demonstration.state = 'runs'
} AS runs, COUNT {
  MATCH (demonstration:Demonstration {dataset: $dataset}) WHERE demonstration.key IS NOT NULL AND demonstration.state = 'failed'
} AS failed, COUNT {
  MATCH (pattern:Pattern {dataset: $dataset}) WHERE pattern.key IS NOT NULL
} AS patterns
