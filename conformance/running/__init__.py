"""A run on this machine: targets, threads, signals, shards.

`run` is the loop from the plan to the log, `work_queue` hands out checks in order, `target` starts and describes one
target, `single_checks` and `interactive_session` ask one check at a time, and `timing_passes` measures after the
checks. Verdicts come from `judging`, and pages from `report`.
"""
