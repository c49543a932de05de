// Wait until an index is online.
// $index: text, its name
CALL db.awaitIndex($index, 3600)
