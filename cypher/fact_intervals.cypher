// Return the intervals of facts: first and last day, and both as written.
// $facts: list of relationship ids
MATCH ()-[fact:FACT]->()
WHERE id(fact) IN $facts AND fact.start IS NOT NULL
RETURN collect([id(fact), fact.start, fact.end, fact.start_text, fact.end_text]) AS facts
