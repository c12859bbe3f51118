"""A check as a folder with a script that needs the framework and nothing of this project.

It owns the templates of such scripts. Each bundled adapter brings the lines of its own framework in `repro.py`.
"""
