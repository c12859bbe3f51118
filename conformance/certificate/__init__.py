"""Issues and verifies certificates. A certificate is a folder that states the result of a profile.

`profile_file` defines how checks count and `assessment` counts them. `recompute` judges one record again and `review` a
whole log. `documents` derives the folder's files from log and claims, `issue` writes them, `verify` checks them.
Verification reads data only: it imports, executes and trusts nothing in the folder.
"""
