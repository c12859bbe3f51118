"""What changed between two runs: pure functions of their logs.

`targets` pairs the targets, `circumstance` lists what else differs, `change` classifies one check, `pace` decides
whether times of checks differ beyond their noise, `timed` does so for timed cases, and `compare` joins all of it.
`baseline` applies it to one run, and `merge` joins the logs of shards. It renders nothing.
"""
