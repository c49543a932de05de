"""Reading requests: the names of statements with their parameters."""
