"""Tools for authors of adapters: `scaffold` creates an adapter's folder, `adapter_check` tests an adapter.

Its findings are about adapters, never about their frameworks, and become no record of a log.
"""
