"""Tools for authors of adapters: `scaffold` creates an adapter's folder, `adapter_check` runs checks on an adapter and
watches its processes, `advice` says what to change.

Its findings are about adapters, never about their frameworks, and become no record of a log.
"""
