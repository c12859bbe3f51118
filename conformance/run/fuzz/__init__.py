"""Asks a target for generated calls: the same generator as that of `conformance check`, with other seeds.

`calls` draws the checks and makes a find plain, `fuzzing` runs them, and `finds` joins those of one cause, keeps them
between two commands, and writes them.
"""
