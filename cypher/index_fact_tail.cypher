// Facts into a hub are found without looking at all of its facts.
CREATE INDEX tuqa_fact_tail IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.tail, fact.relation, fact.source)
