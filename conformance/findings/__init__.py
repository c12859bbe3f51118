"""What one log says, and what changed between two: pure functions of logs.

`summary` counts a log once for all reports, with `causes`. `answers` reads what comparisons need: a log's run, answers,
times and targets in pairs. `compare` classifies how each check changed. `merge` joins the logs of shards, or reads a
log against a baseline. The package renders nothing and runs nothing.
"""
