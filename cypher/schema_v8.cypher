// The number of a relation in a source is unique in the database.
CREATE CONSTRAINT tuqa_fact_group IF NOT EXISTS FOR ()-[has:HAS]-() REQUIRE has.number IS UNIQUE;

// Find facts by dataset, source and relation, whatever their head or tail.
CREATE INDEX tuqa_fact_number IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.number);

// Find facts by a day of their interval: the span bounds how long before the day a fact can start.
CREATE INDEX tuqa_fact_span IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.number, fact.span, fact.start);

// Find facts from a hub without a scan of all its facts.
CREATE INDEX tuqa_fact_from_hub IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.head, fact.relation, fact.number);

// Find facts to a hub without a scan of all its facts.
CREATE INDEX tuqa_fact_to_hub IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.tail, fact.relation, fact.number);
