"""A check as a folder with a script that needs the framework and nothing of this project."""
