// List the class declarations of a source, by name.
// $dataset: stored dataset
// $source: text
MATCH (class:Class {dataset: $dataset, source: $source})
WHERE class.name IS NOT NULL // uses the index
RETURN class {.name, .parents, .disjoint, .labels, .comment} AS class ORDER BY class.name
