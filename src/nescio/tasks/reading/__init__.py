"""Reading comprehension of stories: Deep Read with its marks, and MCTest.

`marks.py` has the marks of Deep Read's authors, `columns.py`, `measures.py` and `judge.py` what is made of them.
`cbc.py` and `mctest.py` read the files. `systems/` has the systems; `entities.py` finds their persons and places.
"""
