// Write synonyms of a dataset; a phrase that is known gets the new meaning.
// $dataset: text
// $synonyms: list of [normalized phrase, name, kind]
UNWIND $synonyms AS row
MERGE (synonym:Synonym {dataset: $dataset, phrase: row[0]})
SET synonym.name = row[1], synonym.kind = row[2]
