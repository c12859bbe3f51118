"""Writes a check as a folder with a script that needs only the framework and nothing of this project.

It owns the templates of such scripts; the `repro.py` of an adapter adds the code for its framework (`recipe`). `folder`
writes the script of a check, `recorded` that of a record in a log. The package runs no script and no framework.
"""
