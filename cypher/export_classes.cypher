// The classes that a source declares, by name.
// $dataset: text
// $source: text
MATCH (class:Class {dataset: $dataset, source: $source})
WHERE class.name IS NOT NULL // all have one: named so that the index is used
RETURN class {.name, .parents, .disjoint, .labels, .comment} AS class ORDER BY class.name
