"""The Answer Validation Exercise of CLEF (AVE 2006 to 2008): decide whether an answer is right, and whether its text
supports it.

`exercise.py` has the nouns, `rules.py` what a response must keep to, `evidence.py` what becomes of it, and `columns.py`
and `measures.py` what is measured. `reader.py` and `documents.py` read and write the files. `baselines.py` and
`building.py` have the baselines, and collections made of QA runs. `validator/` is a system that takes part;
`hypotheses/` states questions and answers as sentences.
"""
