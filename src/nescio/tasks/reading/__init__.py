"""Reading comprehension of stories: Deep Read with its marks, and MCTest.

`marks.py` has the marks of Deep Read's authors, and `columns.py`, `measures.py` and `judge.py` use them. `cbc.py` and
`mctest.py` read the files. `systems/` has the systems; `entities.py` finds persons and places in stories.
"""
