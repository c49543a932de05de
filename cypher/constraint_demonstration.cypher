// A demonstration's key is unique in its dataset.
CREATE CONSTRAINT tuqa_demonstration IF NOT EXISTS FOR (demonstration:Demonstration) REQUIRE (demonstration.dataset, demonstration.key) IS UNIQUE
