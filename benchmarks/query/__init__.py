"""What a question costs: against standard RAG over a model server whose speed is a stated function."""
