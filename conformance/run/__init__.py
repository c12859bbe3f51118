"""A run: which checks it asks, the processes that answer, and the log that it leaves.

Plan: `run_plan` has what a user asks for, `selection` yields the checks, and `best_first` orders them. Processes:
`session` asks one worker, within the limits of `process`; `dispatch` builds its request or rules the check out. Run:
`run` goes from the plan to the log, wherever its execution is, on this machine (`local_execution`) or on those of a lab
(`lab`). A `target_runner` runs the checks of one `target` from the request to the record, `confirmation` decides which
run again, and `reuse` takes over what an earlier run answered. `environments` has one for each release of a framework,
`fuzz` asks calls that no case has, and `script_folder` and `reproducer` write and run scripts of checks and deviations.
"""
