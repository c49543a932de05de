"""Language models: calls, replies, cache and limits. The only importer of langchain."""
