// A relation is declared once by each source of its dataset.
CREATE CONSTRAINT tuqa_property IF NOT EXISTS FOR (property:Property) REQUIRE (property.dataset, property.source, property.name) IS UNIQUE
