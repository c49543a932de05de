// A pattern's key is unique in its dataset.
CREATE CONSTRAINT tuqa_pattern IF NOT EXISTS FOR (pattern:Pattern) REQUIRE (pattern.dataset, pattern.key) IS UNIQUE
