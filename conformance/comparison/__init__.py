"""Compares two runs: pure functions of their logs.

`targets` pairs the targets, `circumstance` lists differing circumstances, `change` classifies one check, `pace` decides
whether times of checks differ beyond their noise, `timed` does so for timed cases, and `compare` joins all of it.
`baseline` reads one log against another, and `merge` joins the logs of shards. Nothing here renders.
"""
