// Wait until all indexes are online.
CALL db.awaitIndexes(3600)
