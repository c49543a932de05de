// Delete the facts of a dataset, in transactions of their own.
// $dataset: text
MATCH ()-[fact:FACT {dataset: $dataset}]->()
WHERE fact.source IS NOT NULL AND fact.relation IS NOT NULL // all have both: named so that the index is used
CALL (fact) { DELETE fact } IN TRANSACTIONS OF 20000 ROWS
