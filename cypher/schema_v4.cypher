// A source declares a class once.
CREATE CONSTRAINT tuqa_class IF NOT EXISTS FOR (class:Class) REQUIRE (class.dataset, class.source, class.name) IS UNIQUE;

// A source declares a relation once.
CREATE CONSTRAINT tuqa_property IF NOT EXISTS FOR (property:Property) REQUIRE (property.dataset, property.source, property.name) IS UNIQUE;

// A dataset has one record of join statistics.
CREATE CONSTRAINT tuqa_vocabulary IF NOT EXISTS FOR (vocabulary:Vocabulary) REQUIRE vocabulary.dataset IS UNIQUE;
