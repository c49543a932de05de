// Patterns of demonstrations are found by their words, within a dataset.
CREATE FULLTEXT INDEX tuqa_pattern_text IF NOT EXISTS FOR (pattern:Pattern) ON EACH [pattern.words, pattern.dataset]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}
