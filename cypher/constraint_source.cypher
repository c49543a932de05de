// A source's name is unique in its dataset.
CREATE CONSTRAINT tuqa_source IF NOT EXISTS FOR (source:Source) REQUIRE (source.dataset, source.name) IS UNIQUE
