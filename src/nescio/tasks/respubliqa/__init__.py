"""ResPubliQA and QA@CLEF: runs that people have judged, with answers that were withheld."""
