"""Which checks a run sends, and whether the cases are correct themselves.

`selection` chooses families and yields their checks one at a time, `lint` and `disagreement` compare the cases with
the reference, `coverage_measure` measures which combinations of parameters the cases cover, and `control` is a check
without its operator. The package knows no target, and writes no file.
"""
