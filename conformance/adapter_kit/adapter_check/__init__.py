"""`conformance adapter check`: tests whether an adapter is sound, so that its faults are not blamed on its framework.

`requests` picks the checks, `interview` runs them, `probes` judge the answers, and `findings_text` words the findings.
"""
