"""Writes a check as a folder with a script that needs only the framework and nothing of this project.

It owns the templates of such scripts. The `repro.py` of each bundled adapter adds the code for its framework.
"""
