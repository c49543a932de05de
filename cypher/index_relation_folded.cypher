// Relations are found by their folded names.
CREATE INDEX tuqa_relation_folded IF NOT EXISTS FOR (relation:Relation) ON (relation.dataset, relation.folded)
