"""Certificates: a folder that states the result of a profile, and the program that checks such a folder.

`profile` says what counts, `assessment` counts, `recompute` judges a record again, `review` does so with a whole log,
`documents` makes every file of the folder from the log and the claims, `issue` writes it and `verify` checks it.
Verification reads data alone: it imports, executes and trusts nothing of a folder.
"""
