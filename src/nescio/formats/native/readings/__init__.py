"""What a table means whose names leave it open: each column is tried in each part, by its cells first (`columns`); what
could be the verdict (`verdicts`) and what says which answers were declined (`silences`) is held against the rest of the
table; the one reading that stands is taken (`settling`), and of several none (`proposing` says which, with the counts
of each). `wide` makes rows of tables that have a column, or several, for each run."""
