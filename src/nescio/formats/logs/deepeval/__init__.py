"""DeepEval: test runs and the cache of cases."""
