"""What the pages leave open: for which calls, and how each may be read.

A call inside an open point has several right answers, which `spec.readings` gives.
"""
