"""The files that the engine reads: operators, cases, coverage spaces, adapters, deviations and releases.

One module owns each format and reports each problem with file, line and remedy. `suite` loads a folder of cases.
Profiles and certificates have their formats in `certificate`, labs in `lab`. The package runs no check and writes no
log.
"""
