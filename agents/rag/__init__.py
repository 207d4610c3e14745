"""Retrieval: a person's text in chunks, ranked for a question, and how well that finds evidence."""
