"""Whether an adapter itself is sound, before anyone blames its backend: `conformance adapter check`.

`questions` picks what is asked, `interview` asks it, `probes` judge the interview, `text` words what they found.
"""
