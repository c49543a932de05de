// Return how long ago what a load added to a dataset became visible, in milliseconds; null if all is settled.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
RETURN CASE WHEN dataset.settling THEN datetime().epochMillis - dataset.loaded.epochMillis END AS age
