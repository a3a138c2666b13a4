"""The tasks of papers and campaigns, a folder each: files, columns, rules, measures, and systems that take part.

Nothing below imports a task. Registries name its modules: `formats/known.py` has its readers, `measures/_index.py` its
columns and measures, and `judging/_judge.py` its judge.
"""
