// How many demonstrations of a dataset there are in each state, and how many patterns.
// $dataset: text
RETURN COUNT {
  MATCH (one:Demonstration {dataset: $dataset}) WHERE one.key IS NOT NULL AND one.state = 'candidate'
} AS candidate, COUNT {
  MATCH (one:Demonstration {dataset: $dataset}) WHERE one.key IS NOT NULL AND one.state = 'verified'
} AS verified, COUNT {
  MATCH (one:Demonstration {dataset: $dataset}) WHERE one.key IS NOT NULL AND one.state = 'failed'
} AS failed, COUNT {
  MATCH (one:Pattern {dataset: $dataset}) WHERE one.key IS NOT NULL
} AS patterns
