"""Issues and verifies certificates. A certificate is a folder that states the result of a profile.

`profile_file` owns how checks count, `assessment` counts them, and `releases` owns which cases a certificate may speak
of. `issue` runs a profile and writes a folder, whose files `documents`, `evidence`, `pages` and `signature` make;
`undeclared` and `reproducers` run what the log does not show. `verify` checks a folder: `folder` reads it,
`recompute` judges one record again, `review` a whole log, and `rules` names what must hold. Verification reads data
only: it imports, executes and trusts nothing in the folder.
"""
