// Nodes are found by their folded aliases.
CREATE INDEX tuqa_alias IF NOT EXISTS FOR (alias:Alias) ON (alias.dataset, alias.folded)
