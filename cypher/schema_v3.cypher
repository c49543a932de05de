// The key of a demonstration is unique in its dataset.
CREATE CONSTRAINT tuqa_demonstration IF NOT EXISTS FOR (demonstration:Demonstration) REQUIRE (demonstration.dataset, demonstration.key) IS UNIQUE;

// The key of a pattern is unique in its dataset.
CREATE CONSTRAINT tuqa_pattern IF NOT EXISTS FOR (pattern:Pattern) REQUIRE (pattern.dataset, pattern.key) IS UNIQUE;

// Find patterns of demonstrations by words, within a dataset.
CREATE FULLTEXT INDEX tuqa_pattern_text IF NOT EXISTS FOR (pattern:Pattern) ON EACH [pattern.words, pattern.dataset]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
