"""Environments in which releases of frameworks are installed, one for each release, so that one run can have several.

Data flows down this list: `expansion` finds the releases that a text names, `lock` the wheels of one, `installer` runs
uv or pip, `store` knows the folder of environments, `making` makes one, and `resolution` gives targets their releases.
"""
