"""Language models: the prompts they are given, and the replies they send. The only importer of langchain."""
