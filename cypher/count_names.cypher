// Count the names and aliases of a dataset that can have a vector.
// $dataset: text
RETURN COUNT {
         MATCH (node:Node {dataset: $dataset}) WHERE node.key IS NOT NULL AND node:Name
       } + COUNT {
         MATCH (alias:Alias {dataset: $dataset}) WHERE alias.folded IS NOT NULL
       } AS names
