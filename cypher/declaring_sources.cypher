// List the sources of a dataset that declare classes.
// $dataset: stored dataset
MATCH (class:Class {dataset: $dataset})
WHERE class.source IS NOT NULL AND class.name IS NOT NULL // uses the index
RETURN collect(DISTINCT class.source) AS sources
