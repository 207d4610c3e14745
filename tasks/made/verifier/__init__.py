"""The verifier: sees the files alone, and says which questions they answer, and how.

``python -m deskgym.tasks.made.verifier DIR`` looks at a set that ``deskgym generate`` wrote.
"""
