// Add class declarations of sources; several declarations of a class are merged.
// $dataset: text
// $classes: list of [source, name, folded, parents, disjoint classes, labels, comment]
UNWIND $classes AS row
MERGE (class:Class {dataset: $dataset, source: row[0], name: row[1]})
ON CREATE SET class.folded = row[2]
SET class.folded = row[2],
    class.parents = coalesce(class.parents, []) + [item IN row[3] WHERE NOT item IN coalesce(class.parents, [])],
    class.disjoint = coalesce(class.disjoint, []) + [item IN row[4] WHERE NOT item IN coalesce(class.disjoint, [])],
    class.labels = coalesce(class.labels, []) + [item IN row[5] WHERE NOT item IN coalesce(class.labels, [])],
    class.comment = CASE WHEN coalesce(class.comment, '') = '' THEN row[6] ELSE class.comment END
