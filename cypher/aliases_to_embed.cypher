// List aliases without a vector, ordered by folded name.
// $dataset: text
// $after: text, the folded name to start from
// $limit: whole number
MATCH (alias:Alias {dataset: $dataset})
WHERE alias.folded >= $after AND alias.embedding IS NULL
WITH alias ORDER BY alias.dataset, alias.folded LIMIT $limit
RETURN collect([alias.folded, id(alias), alias.name]) AS names
