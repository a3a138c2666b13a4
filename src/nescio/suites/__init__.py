"""Evaluate several benchmarks at once: means over them, win rates, and comparisons of runs.

`definition` reads a suite, and `completeness` decides on runs that some benchmarks lack. `scoring` and `comparing` give
results.
"""
