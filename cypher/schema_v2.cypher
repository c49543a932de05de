// The key of a node is unique in its dataset.
CREATE CONSTRAINT tuqa_node_key IF NOT EXISTS FOR (node:Node) REQUIRE (node.dataset, node.key) IS UNIQUE;

// The name of a dataset is unique.
CREATE CONSTRAINT tuqa_dataset IF NOT EXISTS FOR (dataset:Dataset) REQUIRE dataset.name IS UNIQUE;

// The name of a source is unique in its dataset.
CREATE CONSTRAINT tuqa_source IF NOT EXISTS FOR (source:Source) REQUIRE (source.dataset, source.name) IS UNIQUE;

// The number of a load is unique in its dataset.
CREATE CONSTRAINT tuqa_dataset_load IF NOT EXISTS FOR (load:Load) REQUIRE (load.dataset, load.number) IS UNIQUE;

// The name of a relation is unique in its dataset.
CREATE CONSTRAINT tuqa_relation IF NOT EXISTS FOR (relation:Relation) REQUIRE (relation.dataset, relation.name) IS UNIQUE;

// There is one schema record.
CREATE CONSTRAINT tuqa_schema IF NOT EXISTS FOR (schema:Schema) REQUIRE schema.name IS UNIQUE;

// Find nodes by folded name.
CREATE INDEX tuqa_node_folded IF NOT EXISTS FOR (node:Node) ON (node.dataset, node.folded);

// Find values by number.
CREATE INDEX tuqa_node_number IF NOT EXISTS FOR (node:Node) ON (node.dataset, node.number);

// Find values by the first day of their date.
CREATE INDEX tuqa_node_date IF NOT EXISTS FOR (node:Node) ON (node.dataset, node.date_start);

// Find relations by folded name.
CREATE INDEX tuqa_relation_folded IF NOT EXISTS FOR (relation:Relation) ON (relation.dataset, relation.folded);

// Find nodes by folded alias.
CREATE INDEX tuqa_alias IF NOT EXISTS FOR (alias:Alias) ON (alias.dataset, alias.folded);

// Find names by similar words, within a dataset.
CREATE FULLTEXT INDEX tuqa_name_text IF NOT EXISTS FOR (name:Name) ON EACH [name.name, name.dataset]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}};
