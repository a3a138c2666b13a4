"""QA4MRE of CLEF: reading tests with options, their gold and runs."""
