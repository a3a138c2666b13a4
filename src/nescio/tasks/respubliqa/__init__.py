"""ResPubliQA and QA@CLEF: judged runs, with answers that were withheld."""
