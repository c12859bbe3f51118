"""Defines no class `Adapter`."""
