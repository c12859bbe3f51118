"""Environments in which releases of frameworks are installed, one for each release, so that one run can have several.

`store` locks, installs and keeps environments; `resolution` finds the releases that a text names, has the missing
environments made, and gives targets their releases.
"""
