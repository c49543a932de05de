// List aliases without a vector, ordered by folded name and id.
// $dataset: stored dataset
// $after: text, the folded name of the last alias of the page before
// $last: whole number, the id of that alias; -1 for the first page
// $limit: whole number
MATCH (alias:Alias {dataset: $dataset})
WHERE alias.folded >= $after AND (alias.folded > $after OR id(alias) > $last) AND alias.embedding IS NULL
WITH alias ORDER BY alias.dataset, alias.folded, id(alias) LIMIT $limit
RETURN collect([alias.folded, id(alias), alias.name]) AS names
