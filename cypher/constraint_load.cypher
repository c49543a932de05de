// A source has one load.
CREATE CONSTRAINT tuqa_load IF NOT EXISTS FOR (load:Load) REQUIRE (load.dataset, load.source) IS UNIQUE
