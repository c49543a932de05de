// Drop an index of an older schema version.
// $index: text
DROP INDEX $index IF EXISTS
