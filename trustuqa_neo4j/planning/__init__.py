"""Query → plan of operations, in the notation of the paper."""
