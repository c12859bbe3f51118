"""Certificates: a folder that says what a run of a profile found, and the program that checks such a folder.

`assessment` counts, `recompute` judges a record again, `review` does so with a whole log, `documents` makes every file
of the folder from the log and the claims, `issue` writes it and `verify` checks it. What verifies reads data alone:
nothing of a folder is imported, executed or trusted.
"""
