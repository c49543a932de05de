"""Head to head: this package and tools in which a model writes Cypher, with the same model and questions."""
