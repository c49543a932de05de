// A dataset's name is unique.
CREATE CONSTRAINT tuqa_dataset IF NOT EXISTS FOR (dataset:Dataset) REQUIRE dataset.name IS UNIQUE
