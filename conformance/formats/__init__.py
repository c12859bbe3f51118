"""The formats of all YAML and TSV files: cases, operators, adapters, deviations, coverage spaces, releases.

Each format has one module that owns it and refuses what is wrong with file, line and remedy. `suite` loads a folder of
cases. Nothing here runs a check, and nothing writes a log.
"""
