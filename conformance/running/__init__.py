"""A run: its plan, the engine of a target, and the execution on this machine.

`run` goes from the plan to the log, wherever its `execution` is. `target_engine` runs checks from the request to the
record. `local_execution` gives chunks of the plan to engine processes, and writes their lines in order. `timing_passes`
times cases after the checks. Verdicts come from `judging`, pages from `report`.
"""
