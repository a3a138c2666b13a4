"""Systems that answer: simple and real, so that there is always something to evaluate."""
