"""Tools for authors of adapters: `scaffold` creates an adapter's folder, `interview` asks an adapter and `behaviour`
looks at what it did.

Its findings are about adapters, never about their frameworks, and become no record of a log.
"""
