// A phrase has one meaning in a dataset.
CREATE CONSTRAINT tuqa_synonym IF NOT EXISTS FOR (synonym:Synonym) REQUIRE (synonym.dataset, synonym.phrase) IS UNIQUE;
