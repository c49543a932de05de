// Copy the declarations of sources, and the nodes of declared classes, to another stored name.
// $storage: text, stored name of the dataset
// $target: text, stored name of the copy
// $without: list of text, sources that are not copied
CALL () {
  MATCH (property:Property {dataset: $storage})
  WHERE property.source IS NOT NULL AND property.name IS NOT NULL AND NOT property.source IN $without
  CREATE (copy:Property)
  SET copy = property {.*, dataset: $target}
  RETURN count(*) AS properties
}
MATCH (class:Class {dataset: $storage})
WHERE class.source IS NOT NULL AND class.name IS NOT NULL AND NOT class.source IN $without
CREATE (copy:Class)
SET copy = class {.*, dataset: $target}
WITH class
MATCH (node:Node {dataset: $storage, folded: class.folded})
WHERE node.name = class.name
MERGE (named:Node {dataset: $target, key: node.key})
ON CREATE SET named += node {.*, dataset: $target, hub: null}, named:$(labels(node))
