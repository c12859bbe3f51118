"""Asks a target for generated calls: the same generator as that of `conformance check`, with other seeds.

`draw` makes the checks, `fuzzing` runs them, `shrink` makes a find plain, `groups` joins finds of one cause, `state`
keeps them between two commands, and `written_finds` writes them.
"""
