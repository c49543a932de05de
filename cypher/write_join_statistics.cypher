// Replace the join statistics of a dataset.
// $dataset: text
// $sides: list of text
// $sizes: list of numbers of nodes
// $nameless: list of numbers of nodes without a name
// $pairs: bytes
// $counts: bytes
MERGE (vocabulary:Vocabulary {dataset: $dataset})
SET vocabulary.stamp = randomUUID(), vocabulary.sides = $sides, vocabulary.sizes = $sizes,
    vocabulary.nameless = $nameless, vocabulary.pairs = $pairs, vocabulary.counts = $counts
