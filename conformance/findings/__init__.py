"""What one log says, and what changed between two: pure functions of logs.

`summary` counts a log once for all reports, with `counts` and `causes`. `compare` pairs the targets of two logs
(`targets`), lists differing circumstances (`circumstance`), classifies each check (`change`), and decides which time is
longer beyond noise (`timed`). `baseline` reads one log against another,
`merge` joins the logs of shards, `logged_run` names a log and its run, `answers` reads what a comparison needs. The
package renders nothing and runs nothing.
"""
