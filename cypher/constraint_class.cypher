// A class is declared once by each source of its dataset.
CREATE CONSTRAINT tuqa_class IF NOT EXISTS FOR (class:Class) REQUIRE (class.dataset, class.source, class.name) IS UNIQUE
