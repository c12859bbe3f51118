"""Which combinations are asked: covering arrays that make cases, and the measure of what all cases cover.

Read in this order: `space`, `table`, `features`, `measure`.
"""
