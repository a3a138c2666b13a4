"""The Answer Validation Exercise of CLEF (AVE 2006 to 2008): decide whether an answer is right, and whether its text
supports it.

`exercise.py` has the classes and the rules for a response, `evidence.py` the conversion to Evidence, and
`columns.py` and `measures.py` the measures. `reader.py` and `documents.py` read and write the files. `baselines.py` has
the baselines, and `building.py` builds collections from QA runs. `validator/` is a participating system. `hypotheses/`
states questions and answers as sentences.
"""
