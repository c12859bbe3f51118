"""A new adapter's folder, which runs at once: `conformance adapter new`."""
