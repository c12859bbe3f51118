"""Issues and verifies certificates. A certificate is a folder that states the result of a profile.

`rules` owns how checks count, what must hold and which cases a certificate may speak of. `issue` runs a profile and
writes a folder, whose files `certificate_file`, which also counts the checks, and `folder` make.
`verify` checks a folder: `folder` reads it, and `review` judges its whole log again. `pages` shows a certificate.
Verification reads data only: it imports, executes and trusts nothing in the folder.
"""
