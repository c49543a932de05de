// Facts out of a hub are found without looking at all of its facts.
CREATE INDEX tuqa_fact_head IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.head, fact.relation, fact.source)
