// Facts are found by source and relation, whatever they lead from or to.
CREATE INDEX tuqa_fact_source IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.dataset, fact.source, fact.relation)
