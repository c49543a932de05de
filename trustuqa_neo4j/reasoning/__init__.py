"""Set, table and arithmetic functions over what searches found: pure, no I/O."""
