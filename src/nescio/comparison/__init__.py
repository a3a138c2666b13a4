"""Paired comparison of runs: the difference of a measure, its interval, and how surprising it is if the labels mean
nothing.

`comparing` is the whole of it: `paired_data` lines up two runs, `pair_test` resamples and tests them, `corrections`
and `_tukey` give p-values, `verdicts` the words, `ranks` the view over all pairs; `best` marks a leaderboard by the
same p-values.
"""
