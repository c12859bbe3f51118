"""Whether an adapter is sound, before its framework is blamed: `conformance adapter check`.

`requests` picks the checks, `interview` asks them, `probes` judge the answers, and `text` words the findings.
"""
