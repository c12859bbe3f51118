"""The files that the engine reads: operators, cases, adapters and releases.

One module owns each format and reports each problem with file, line and remedy. `suite` loads a folder of cases.
Recorded deviations have their format in `judge`, profiles and certificates in `certificate`, labs in `run.lab_remote`.
The package runs no check and writes no log.
"""
