"""The run log: its lines, how they are made from outcomes, written, read and counted.

`record` declares every field, `build_record` and `build_header` make lines, `log_file` writes and reads them,
`attribution` and `confirmation` ask a target again about deviations, and `summary` counts a log once for all reports.
Nothing here starts a process.
"""
