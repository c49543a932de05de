// Facts with an interval are found by moments: those of one span that may hold at one began close before it.
CREATE INDEX tuqa_fact_held IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.dataset, fact.relation, fact.span, fact.start)
