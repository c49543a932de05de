// Delete the facts of a dataset in batches.
// $dataset: text
MATCH ()-[fact:FACT {dataset: $dataset}]->()
WHERE fact.source IS NOT NULL AND fact.relation IS NOT NULL // uses the index
CALL (fact) { DELETE fact } IN TRANSACTIONS OF 20000 ROWS
