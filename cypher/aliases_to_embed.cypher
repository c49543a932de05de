// Aliases that have no vector yet, in the order of their folded names.
// $dataset: text
// $after: text, the folded name from which to look
// $limit: whole number
MATCH (alias:Alias {dataset: $dataset})
WHERE alias.folded >= $after AND alias.embedding IS NULL
WITH alias ORDER BY alias.dataset, alias.folded LIMIT $limit
RETURN collect([alias.folded, id(alias), alias.name]) AS names
