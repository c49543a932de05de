// Add aliases to nodes that do not have them.
// $dataset: text
// $aliases: list of [id of the node, name, folded]
UNWIND $aliases AS row
MATCH (node) WHERE id(node) = row[0]
MERGE (node)<-[:OF]-(alias:Alias {dataset: $dataset, name: row[1]})
ON CREATE SET alias:Name, alias.folded = row[2]
SET node.aliases = CASE
      WHEN row[1] IN coalesce(node.aliases, []) THEN node.aliases
      ELSE coalesce(node.aliases, []) + row[1]
    END
