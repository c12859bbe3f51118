"""Compares two runs or many: pure functions of their logs.

`targets` pairs the targets, `circumstance` lists differing circumstances, `change` classifies one check, `timed`
decides which of two times is the longer one beyond noise, and `compare` joins all of it. `trend` follows each target
over many runs, `baseline` reads one log against another, `merge` joins the logs of shards, and `named_log` names a
log. The package renders nothing and runs nothing.
"""
