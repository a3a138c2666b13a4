"""The tasks of papers and campaigns, one folder each: files, columns, rules, measures, and participating systems.

No module below imports a task. Registries name its modules: `formats/known.py` its readers, `measures/_index.py` its
columns and measures, and `judging/_judge.py` its judge.
"""
