"""Compare runs in pairs: estimate the difference of a measure, its interval, and its p-value.

`comparing` is the entry point. `paired_data` lines up two runs, and `pair_test` resamples and tests them. `corrections`
and `_tukey` compute p-values, `verdicts` writes the words, and `ranks` views all pairs at once. `best` marks a
leaderboard by the same p-values.
"""
