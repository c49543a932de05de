// There is one schema record.
CREATE CONSTRAINT tuqa_schema IF NOT EXISTS FOR (schema:Schema) REQUIRE schema.name IS UNIQUE
