"""The formats of all YAML and TSV files: cases, operators, adapters, deviations, coverage spaces, releases.

One module owns each format and reports each problem with file, line and remedy. `suite` loads a folder of cases.
Nothing here runs a check or writes a log.
"""
