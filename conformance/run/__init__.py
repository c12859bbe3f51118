"""A run: which checks it asks, the processes that answer, and the log that it leaves.

Plan: `run_plan` has what a user asks for, and `selection` yields the checks in their order. Processes: `session` asks
one worker, within the limits of `process`; `dispatch` builds its request or rules the check out. Run: `run` goes from
the plan to the log, wherever its execution is, on this machine (`execution`) or on those of a lab (`lab`). A
`target_runner` starts one target, runs its checks from the request to the record, and decides which run again; `reuse`
takes over what an earlier run answered. `environments` has one for each release of a framework, `fuzz` asks calls that
no case has, and `script_folder` writes and runs scripts of checks and deviations.
"""
