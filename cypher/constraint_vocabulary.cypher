// A dataset has one vocabulary.
CREATE CONSTRAINT tuqa_vocabulary IF NOT EXISTS FOR (vocabulary:Vocabulary) REQUIRE vocabulary.dataset IS UNIQUE
