// A relation's name is unique in its dataset.
CREATE CONSTRAINT tuqa_relation IF NOT EXISTS FOR (relation:Relation) REQUIRE (relation.dataset, relation.name) IS UNIQUE
